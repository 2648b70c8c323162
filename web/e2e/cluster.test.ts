/// Walks through the console in a real browser: nodes and figures, alerts, checks, reports.
import "./walks/alerts.ts";
import "./walks/watch.ts";
import "./walks/cluster.ts";
import { lookForComplaints } from "./walks/window.ts";

lookForComplaints();

/// Walks through the console in a real browser: what pages say and where it leads.
import "./walks/sights.ts";
import { lookForComplaints } from "./walks/window.ts";

lookForComplaints();

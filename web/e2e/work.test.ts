/// Walks through the console in a real browser: logging in, runs, jobs, sessions and tokens.
import "./walks/login.ts";
import "./walks/runs.ts";
import "./walks/logs.ts";
import "./walks/jobs.ts";
import "./walks/jobActs.ts";
import "./walks/jobLooks.ts";
import "./walks/scenes.ts";
import "./walks/selection.ts";
import "./walks/skips.ts";
import "./walks/access.ts";
import { lookForComplaints } from "./walks/window.ts";

lookForComplaints();

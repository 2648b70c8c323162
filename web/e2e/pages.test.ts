/// Every page of the console in a real browser, in both themes and both languages, wide and narrow.
import "./walks/everyPage.ts";
import "./walks/floats.ts";
import { lookForComplaints } from "./walks/window.ts";

lookForComplaints();

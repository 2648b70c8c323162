/// Walks through the console in a real browser, against a real server whose sample jobs run: subject by subject, in one
/// browser. The first logs in for all others.
import "./walks/login.ts";
import "./walks/runs.ts";
import "./walks/jobs.ts";
import "./walks/cluster.ts";
import "./walks/access.ts";
import "./walks/alerts.ts";
import "./walks/everyPage.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { complaints } from "./walks/window.ts";

test("no page complained: no error, nothing that the content policy refused, no other host", () => {
  assert.deepEqual(complaints.found, []);
});

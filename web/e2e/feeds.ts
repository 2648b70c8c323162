/// A request for each operation of the API that takes a text. A walk puts markup in the place of each text in turn.

/** What the requests are about: all of it is the walk's own. */
export interface About {
  job: string;
  check: string;
  rule: string;
  node: string;
  alert: number;
  /** One that is over, and one that executes. */
  run: string;
  live: string;
}

export interface Feed {
  path?: Record<string, string | number>;
  body: object;
  headers?: Record<string, string>;
}

/** `nth`: names that must be new have it in them. */
type Feeds = Record<string, (about: About, nth: number) => Feed>;

const NEW = { "If-None-Match": "*" };
const NIGHTLY = { cron: "0 2 * * *" };
const NOBODY = "nobody-of-this-name";

export const FEEDS: Feeds = {
  create_job: ({ job }, nth) => ({ body: { name: `${job}-${nth}`, definition: definition(nth) } }),
  validate_job: ({ job }) => ({ body: { name: job, definition: definition() } }),
  try_definition: ({ job }) => ({ body: { name: job, definition: { run: { python: "jobs:daily" } } } }),
  put_job: ({ job }, nth) => ({
    path: { name: `${job}-p${nth}` },
    body: { definition: definition() },
    headers: NEW,
  }),
  patch_job: ({ job }) => ({
    path: { name: job },
    body: { definition: { timeout: "10m" } },
    headers: { "If-Match": '"v1"' },
  }),
  clone_job: ({ job }, nth) => ({ path: { name: job }, body: { name: `${job}-c${nth}` } }),
  rollback_job: ({ job }) => ({ path: { name: job }, body: { to: 1 }, headers: { "If-Match": '"v2"' } }),
  pause_job: ({ job }) => ({ path: { name: job }, body: {} }),
  resume_job: ({ job }) => ({ path: { name: job }, body: {} }),
  reschedule_jobs: () => ({ body: { dry_run: true } }),
  reschedule_job: ({ job }) => ({ path: { name: job }, body: {} }),
  trigger_job: ({ job }) => ({ path: { name: job }, body: {} }),
  pause_jobs: ({ job }) => ({ body: { jobs: [{ name: job }] } }),
  resume_jobs: ({ job }) => ({ body: { jobs: [{ name: job }] } }),
  trigger_jobs: ({ job }) => ({ body: { jobs: [{ name: job }] } }),
  delete_jobs: ({ job }) => ({ body: { jobs: [{ name: `${job}-p0` }] } }),
  cancel_run: ({ live }) => ({ path: { run: live }, body: {} }),
  retry_run: ({ run }) => ({ path: { run }, body: {} }),
  cancel_runs: ({ live }) => ({ body: { ids: [live] } }),
  retry_runs: ({ run }) => ({ body: { ids: [run] } }),
  preview_backfill: ({ job }) => ({ body: past(job) }),
  start_backfill: ({ job }) => ({ body: { ...past(job), token: "seen" } }),
  put_calendar: ({ job }, nth) => ({
    path: { name: `${job}-cal-${nth}` },
    body: { calendar: { country: "CN" } },
  }),
  set_own_limit: ({ job }) => ({ path: { name: `${job}-limit` }, body: { max: 4 } }),
  set_cluster_limit: ({ job }) => ({ path: { name: `${job}-limit` }, body: { max: 4 } }),
  set_scope_limit: ({ job }) => ({ path: { kind: "group", name: `${job}-group` }, body: { max: 4 } }),
  claim_lock: ({ job }) => ({ path: { name: `${job}-lock`, claim: "c" }, body: { at_once: true } }),
  release_lock: ({ job }) => ({ path: { name: `${job}-lock` }, body: { token: "1" } }),
  ack_alert: ({ alert }) => ({ path: { number: alert }, body: {} }),
  resolve_alert: ({ alert }) => ({ path: { number: alert }, body: {} }),
  make_silence: ({ job }) => ({ body: { of: { job }, for: "1h", reason: "noise" } }),
  put_rule: ({ job }, nth) => ({
    path: { name: `${job}-rule-${nth}` },
    body: { rule: { when: "failed", of: { job } } },
    headers: NEW,
  }),
  try_rule: ({ rule, run }) => ({ path: { name: rule }, body: { run } }),
  preview_rule: ({ rule, run }) => ({ path: { name: rule }, body: { run } }),
  preview_channel: ({ run }) => ({ path: { name: "oncall" }, body: { run } }),
  put_channel: ({ job }, nth) => ({
    path: { name: `${job}-channel-${nth}` },
    body: { channel: { kind: "dingtalk", settings: { webhook: ["${", "secret:DING}"].join("") } } },
    headers: NEW,
  }),
  apply_alerts: () => ({ body: { dry_run: true } }),
  create_check: ({ job }, nth) => ({ body: { name: `${job}-check-${nth}`, check: { every: "1d" } } }),
  put_check: ({ job }, nth) => ({
    path: { name: `${job}-put-${nth}` },
    body: { check: { every: "1d" } },
    headers: NEW,
  }),
  pause_check: ({ check }) => ({ path: { name: check }, body: {} }),
  resume_check: ({ check }) => ({ path: { name: check }, body: {} }),
  ping_check: ({ check }) => ({ path: { name: check }, body: {} }),
  step_down: () => ({ body: { to: NOBODY } }),
  set_maintenance: () => ({ body: { on: false } }),
  drain_node: ({ node }) => ({ path: { name: node }, body: {} }),
  undrain_node: ({ node }) => ({ path: { name: node }, body: {} }),
  promote_node: ({ node }) => ({ path: { name: node }, body: {} }),
  demote_node: ({ node }) => ({ path: { name: node }, body: {} }),
  explain_cron: () => ({ body: { expression: "0 2 * * *" } }),
  preview_drill: () => ({ body: { type: "crash", on: NOBODY } }),
  run_drill: () => ({ body: { type: "crash", on: NOBODY } }),
  set_policy: () => ({ path: { type: "worker_crash" }, body: {} }),
  set_server_rules: () => ({ body: {} }),
  fix_cluster: () => ({ body: {} }),
  put_report_schedule: ({ job }) => ({
    path: { name: `${job}-report` },
    body: { schedule: { kind: "daily", at: "08:00", timezone: "Asia/Shanghai", to: ["oncall"] } },
  }),
  send_report_schedule: () => ({ path: { name: NOBODY }, body: {} }),
  create_token: ({ job }, nth) => ({ body: { name: `${job}-token-${nth}`, scopes: ["read"] } }),
  rotate_token: ({ job }) => ({ path: { name: `${job}-token` }, body: {} }),
  save_view: ({ job }, nth) => ({ path: { name: `${job}-view-${nth}` }, body: { path: "/jobs?late=true" } }),
};

/** What is not fed here, each with why. */
export const EXCUSED: [operation: string, at: RegExp, why: string][] = [
  ["validate_job", /^definition\./, "the model of create_job; nothing is kept"],
  ["try_definition", /^definition\./, "the model of create_job"],
  ["put_job", /^definition\./, "the model of create_job"],
  ["login", /^code$/, "a secret that is compared and never kept; wrong ones lock others out"],
  ["call_back", /./, "texts of a worker, as the job `marked` writes them; needs the secret of a run"],
];

function definition(nth = 0) {
  return { run: { python: "jobs:markup" }, schedule: NIGHTLY, description: `the ${nth}th` };
}

function past(job: string) {
  return { job, from: "2026-08-01T00:00:00Z", to: "2026-08-02T00:00:00Z" };
}

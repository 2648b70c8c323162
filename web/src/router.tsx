/// The addresses of the console. Filters and tabs stand in the query: every view is a link.
import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { OverviewPage } from "./pages/Overview.tsx";
import { lazyPage } from "./parts/lazyPart.tsx";
import { Shell } from "./shell/Shell.tsx";
import { useSay } from "./words/say.ts";

type Search = Record<string, unknown>;

function text(value: unknown): string | undefined {
  if (typeof value === "string" && value !== "") return value;
  return typeof value === "number" ? String(value) : undefined;
}

function number(value: unknown): number | undefined {
  const read = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof read === "number" && Number.isInteger(read) && read >= 0 ? read : undefined;
}

/** Only what is there: an absent filter is absent from the address, too. */
function present<T extends object>(search: T): Partial<T> {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function NoPage() {
  const say = useSay();
  return (
    <div className="title">
      <h1>{say("fail.no_page")}</h1>
    </div>
  );
}

const root = createRootRoute({
  validateSearch: (search: Search) => present({ in: text(search.in) }),
  component: Shell,
  notFoundComponent: NoPage,
});

const overview = createRoute({ getParentRoute: () => root, path: "/", component: OverviewPage });
const login = createRoute({ getParentRoute: () => root, path: "/login", component: () => null });
const jobs = createRoute({
  getParentRoute: () => root,
  path: "/jobs",
  validateSearch: (search: Search) =>
    present({
      q: text(search.q),
      state: text(search.state),
      sort: text(search.sort),
      group: text(search.group),
      failing: search.failing === true ? true : undefined,
      late: search.late === true ? true : undefined,
      starred: search.starred === true ? true : undefined,
      columns: text(search.columns),
    }),
  component: lazyPage(async () => (await import("./pages/Jobs.tsx")).JobsPage),
});
const job = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$namespace/$name",
  validateSearch: (search: Search) =>
    present({
      tab: text(search.tab),
      day: text(search.day),
      span: text(search.span),
      from: text(search.from),
      to: text(search.to),
    }),
  component: lazyPage(async () => (await import("./pages/Job.tsx")).JobPage),
});
const newJob = createRoute({
  getParentRoute: () => root,
  path: "/jobs/new",
  validateSearch: (search: Search) => present({ from: text(search.from) }),
  component: lazyPage(async () => (await import("./pages/JobEditor.tsx")).NewJobPage),
});
const editJob = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$namespace/$name/edit",
  component: lazyPage(async () => (await import("./pages/JobEditor.tsx")).EditJobPage),
});
const runs = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  validateSearch: (search: Search) =>
    present({
      job: text(search.job),
      namespace: text(search.namespace),
      state: text(search.state),
      node: text(search.node),
      span: text(search.span),
      since: text(search.since),
      until: text(search.until),
      ended_since: text(search.ended_since),
      ended_until: text(search.ended_until),
    }),
  component: lazyPage(async () => (await import("./pages/Runs.tsx")).RunsPage),
});
const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$run",
  validateSearch: (search: Search) =>
    present({
      tab: text(search.tab),
      shard: number(search.shard),
      attempt: number(search.attempt),
      level: text(search.level),
      grep: text(search.grep),
      line: text(search.line),
    }),
  component: lazyPage(async () => (await import("./pages/Run.tsx")).RunPage),
});
const compare = createRoute({
  getParentRoute: () => root,
  path: "/runs/compare",
  validateSearch: (search: Search) =>
    present({ one: text(search.one), other: text(search.other), tab: text(search.tab) }),
  component: lazyPage(async () => (await import("./pages/Compare.tsx")).ComparePage),
});
const nodes = createRoute({
  getParentRoute: () => root,
  path: "/nodes",
  validateSearch: (search: Search) =>
    present({
      tab: text(search.tab),
      band: text(search.band),
      label: text(search.label),
      node: text(search.node),
      type: text(search.type),
      open: search.open === true ? true : undefined,
      id: typeof search.id === "number" ? search.id : undefined,
    }),
  component: lazyPage(async () => (await import("./pages/Nodes.tsx")).NodesPage),
});
const alerts = createRoute({
  getParentRoute: () => root,
  path: "/alerts",
  validateSearch: (search: Search) =>
    present({
      tab: text(search.tab),
      id: typeof search.id === "number" ? search.id : undefined,
      level: text(search.level),
      rule: text(search.rule),
      job: text(search.job),
    }),
  component: lazyPage(async () => (await import("./pages/Alerts.tsx")).AlertsPage),
});
/** The address that messages of alerts have. */
const alert = createRoute({
  getParentRoute: () => root,
  path: "/alerts/$id",
  beforeLoad: ({ params }) => {
    const id = Number(params.id);
    throw redirect({ to: "/alerts", search: Number.isInteger(id) ? { id } : {}, replace: true });
  },
});
const checks = createRoute({
  getParentRoute: () => root,
  path: "/checks",
  validateSearch: (search: Search) =>
    present({
      name: text(search.name),
      namespace: text(search.namespace),
      q: text(search.q),
      state: text(search.state),
    }),
  component: lazyPage(async () => (await import("./pages/Checks.tsx")).ChecksPage),
});
const reports = createRoute({
  getParentRoute: () => root,
  path: "/reports",
  validateSearch: (search: Search) =>
    present({
      tab: text(search.tab),
      date: text(search.date),
      tz: text(search.tz),
      namespace: text(search.namespace),
    }),
  component: lazyPage(async () => (await import("./pages/Reports.tsx")).ReportsPage),
});
const limits = createRoute({
  getParentRoute: () => root,
  path: "/limits",
  validateSearch: (search: Search) =>
    present({ name: text(search.name), namespace: text(search.namespace), kind: text(search.kind) }),
  component: lazyPage(async () => (await import("./pages/Limits.tsx")).LimitsPage),
});
const locks = createRoute({
  getParentRoute: () => root,
  path: "/locks",
  validateSearch: (search: Search) => present({ name: text(search.name), namespace: text(search.namespace) }),
  component: lazyPage(async () => (await import("./pages/Locks.tsx")).LocksPage),
});
const events = createRoute({
  getParentRoute: () => root,
  path: "/events",
  validateSearch: (search: Search) =>
    present({
      tab: text(search.tab),
      topic: text(search.topic),
      reason: text(search.reason),
      subject: text(search.subject),
      span: text(search.span),
    }),
  component: lazyPage(async () => (await import("./pages/Events.tsx")).EventsPage),
});
const calendars = createRoute({
  getParentRoute: () => root,
  path: "/calendars",
  validateSearch: (search: Search) => present({ name: text(search.name) }),
  component: lazyPage(async () => (await import("./pages/Calendars.tsx")).CalendarsPage),
});
const backfills = createRoute({
  getParentRoute: () => root,
  path: "/backfills",
  component: lazyPage(async () => (await import("./pages/Backfills.tsx")).BackfillsPage),
});
const tokens = createRoute({
  getParentRoute: () => root,
  path: "/tokens",
  component: lazyPage(async () => (await import("./pages/Tokens.tsx")).TokensPage),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyPage(async () => (await import("./pages/Settings.tsx")).SettingsPage),
});

const tree = root.addChildren([
  overview,
  login,
  jobs,
  job,
  newJob,
  editJob,
  runs,
  run,
  compare,
  nodes,
  alerts,
  alert,
  checks,
  reports,
  limits,
  locks,
  events,
  calendars,
  backfills,
  tokens,
  settings,
]);

export const router = createRouter({ routeTree: tree, scrollRestoration: true });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

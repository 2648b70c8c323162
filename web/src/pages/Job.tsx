/// One job: its runs, what became of its instants, its versions, its definition; and what can be done with it.
import { Button, Menu, Tabs } from "@mantine/core";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import { job as jobQuery, listedJob, nextFires, runs } from "../api/queries.ts";
import type { JobOut } from "../api/types.ts";
import { isUsedUp, nextOf } from "../format/fires.ts";
import { lateOf } from "../format/late.ts";
import { asAct } from "../format/snippets.ts";
import { percent } from "../format/time.ts";
import { toYaml } from "../format/yaml.ts";
import { PauseDialog, ResumeDialog } from "../parts/actions.tsx";
import { BackfillDialog } from "../parts/BackfillDialog.tsx";
import { Command } from "../parts/Command.tsx";
import { CopyItems } from "../parts/CopyItems.tsx";
import { DeleteJobDialog } from "../parts/DeleteJob.tsx";
import { useFavourites } from "../parts/favourites.ts";
import { JobLimits } from "../parts/JobLimits.tsx";
import { Json } from "../parts/Json.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { Pages } from "../parts/Pages.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { Schedule } from "../parts/Schedule.tsx";
import { Star } from "../parts/Star.tsx";
import { State } from "../parts/State.tsx";
import { Strip } from "../parts/Strip.tsx";
import { useOffersZone } from "../parts/settings.ts";
import { At, FromNow, Took } from "../parts/Times.tsx";
import { TriggerDialog } from "../parts/TriggerDialog.tsx";
import { Warnings } from "../parts/Warnings.tsx";
import { useSay, type Word } from "../words/say.ts";
import { JobAlerts } from "./JobAlerts.tsx";
import { Calendar } from "./JobCalendar.tsx";
import { Day } from "./JobDay.tsx";
import { Chips } from "./JobTable.tsx";
import { Versions } from "./JobVersions.tsx";
import { RunTable } from "./RunTable.tsx";
import { JobStatistics } from "./Statistics.tsx";

/** What is copied from the menu. */
const COMMANDS = ["job show", "job why", "job trigger"];

type Opened = "" | "trigger" | "pause" | "resume" | "fill" | "delete";

export function JobPage() {
  const { namespace, name } = useParams({ from: "/jobs/$namespace/$name" });
  return <OneJob key={`${namespace}/${name}`} namespace={namespace} name={name} />;
}

/** A dialog that is open stays so when the job is read anew from the start: after a new login, say. */
function OneJob({ namespace, name }: { namespace: string; name: string }) {
  const [opened, setOpened] = useState<Opened>("");
  const client = useQueryClient();
  const query = useQuery({
    ...jobQuery(namespace, name),
    placeholderData: () => listedJob(client, namespace, name),
  });
  return (
    <Loaded query={query} rows={10}>
      {(found) => <Content job={found} opened={opened} setOpened={setOpened} />}
    </Loaded>
  );
}

interface ContentProps {
  job: JobOut;
  opened: Opened;
  setOpened: (opened: Opened) => void;
}

function Content({ job, opened, setOpened }: ContentProps) {
  const say = useSay();
  const rights = useRights();
  const favourites = useFavourites();
  useOffersZone(job.schedule === null ? "UTC" : job.timezone);
  const { tab = "runs" } = useSearch({ from: "/jobs/$namespace/$name" });
  const navigate = useNavigate({ from: "/jobs/$namespace/$name" });
  const isPaused = job.state === "PAUSED";
  const close = () => setOpened("");
  return (
    <>
      <div className="title">
        <h1>
          <Raw>
            {job.namespace !== "default" && <span className="soft">{job.namespace} / </span>}
            {job.name}
          </Raw>
        </h1>
        <Star job={job} favourites={favourites} />
        <State of={job.state} family="job" />
        <Chips job={job} hasOwner={false} />
        <div className="acts">
          {rights.run && (
            <Button data-key="t" onClick={() => setOpened("trigger")}>
              {say("do.trigger")}
            </Button>
          )}
          {rights.write && job.schedule !== null && (
            <Button data-key="p" variant="default" onClick={() => setOpened(isPaused ? "resume" : "pause")}>
              {say(isPaused ? "do.resume" : "do.pause")}
            </Button>
          )}
          <Menu transitionProps={{ duration: 0 }} position="bottom-end" trigger="click-hover">
            <Menu.Target>
              <Button variant="default">{say("do.more")}</Button>
            </Menu.Target>
            <Menu.Dropdown>
              {rights.write && (
                <Menu.Item
                  renderRoot={(props) => (
                    <Link
                      to="/jobs/$namespace/$name/edit"
                      params={{ namespace: job.namespace, name: job.name }}
                      {...props}
                    />
                  )}
                >
                  {say("do.edit")}
                </Menu.Item>
              )}
              {rights.write && (
                <Menu.Item
                  renderRoot={(props) => (
                    <Link to="/jobs/new" search={{ from: `${job.namespace}/${job.name}` }} {...props} />
                  )}
                >
                  {say("do.clone")}
                </Menu.Item>
              )}
              {rights.run && job.schedule !== null && (
                <Menu.Item onClick={() => setOpened("fill")}>{say("do.backfill")}</Menu.Item>
              )}
              {rights.write && <Menu.Item onClick={() => setOpened("delete")}>{say("do.delete")}</Menu.Item>}
              <CopyItems acts={COMMANDS.map((verb) => ({ verb, of: job.name, namespace: job.namespace }))} />
            </Menu.Dropdown>
          </Menu>
        </div>
      </div>
      {job.description && (
        <p className="soft">
          <Raw>{job.description}</Raw>
        </p>
      )}
      <div className="facts">
        <span>
          <b>
            <Schedule job={job} />
          </b>
          {job.cron.map((expression) => (
            <Fragment key={expression}>
              {" "}
              <Raw mono>{expression}</Raw>
            </Fragment>
          ))}
        </span>
        {!isPaused && <Next job={job} isWhole={tab === "runs"} />}
        <span>{say("job.version", { version: job.version })}</span>
        {job.executes && (
          <span>
            {say("job.executes")} <Raw mono>{job.executes}</Raw>
          </span>
        )}
        {job.owner && (
          <span>
            {say("job.owner", { owner: "" })}
            <Raw>{job.owner}</Raw>
          </span>
        )}
        <span>
          {say("job.group", { group: "" })}
          <Link to="/jobs" search={{ group: job.group }}>
            <Raw>{job.group}</Raw>
          </Link>
        </span>
        <Source job={job} />
        {Object.entries(job.tags).map(([name, value]) => (
          <span key={name} className="tag">
            <Raw>
              {name}={value}
            </Raw>
          </span>
        ))}
      </div>
      {job.trouble && (
        <p className="tone-bad">
          <Raw>{job.trouble}</Raw>
        </p>
      )}
      <Warnings of={job.unserved ? [...job.warnings, job.unserved] : job.warnings} />
      {isPaused && <PausedCard job={job} />}
      <JobLimits job={job} />
      <div className="facts">
        <Strip strip={job.strip} isLong />
        {job.strip && job.strip.p50_s !== null && (
          <>
            <span>
              {say("job.p50")}{" "}
              <b>
                <Took seconds={job.strip.p50_s} />
              </b>
            </span>
            <span>
              {say("job.p95")}{" "}
              <b>
                <Took seconds={job.strip.p95_s} />
              </b>
            </span>
          </>
        )}
        {job.strip?.success_rate != null && (
          <span>
            {say("job.success")} <b>{percent(job.strip.success_rate)}</b>
          </span>
        )}
        <Late job={job} isAsked={tab === "runs"} />
      </div>
      <Tabs
        value={tab}
        onChange={(next) =>
          void navigate({ search: next === "runs" || !next ? {} : { tab: next }, replace: true })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label={say("job.tabs")} mb="md">
          <Tabs.Tab value="runs">{say("job.tab_runs")}</Tabs.Tab>
          <Tabs.Tab value="day">{say("job.tab_day")}</Tabs.Tab>
          <Tabs.Tab value="calendar">{say("job.tab_calendar")}</Tabs.Tab>
          <Tabs.Tab value="stats">{say("job.tab_stats")}</Tabs.Tab>
          <Tabs.Tab value="alerts">
            {say("job.tab_alerts")} {job.alerts?.length ? `(${job.alerts.length})` : ""}
          </Tabs.Tab>
          <Tabs.Tab value="versions">{say("job.tab_versions")}</Tabs.Tab>
          <Tabs.Tab value="definition">{say("job.tab_definition")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="runs">
          <Runs job={job} />
        </Tabs.Panel>
        <Tabs.Panel value="day">
          <Day job={job} />
        </Tabs.Panel>
        <Tabs.Panel value="calendar">
          <Calendar job={job} />
        </Tabs.Panel>
        <Tabs.Panel value="stats">
          <JobStatistics job={job} />
        </Tabs.Panel>
        <Tabs.Panel value="alerts">
          <JobAlerts job={job} />
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <Versions job={job} />
        </Tabs.Panel>
        <Tabs.Panel value="definition">
          <Json value={toYaml(job.definition)} label={say("job.tab_definition")} />
        </Tabs.Panel>
      </Tabs>
      {opened === "trigger" && <TriggerDialog name={job.name} namespace={job.namespace} close={close} />}
      {opened === "fill" && <BackfillDialog job={job} close={close} />}
      {opened === "pause" && <PauseDialog job={job} close={close} />}
      {opened === "resume" && <ResumeDialog job={job} close={close} />}
      {opened === "delete" && <DeleteJobDialog job={job} close={close} />}
    </>
  );
}

const SOURCES: Record<string, Word> = { code: "job.from_code", file: "job.from_file", api: "job.from_api" };

/** Where its present version comes from; the module, where code declares it. */
function Source({ job }: { job: JobOut }) {
  const say = useSay();
  const known = SOURCES[job.source];
  return (
    <span>
      {known === undefined ? <Raw>{job.source}</Raw> : say(known)}{" "}
      {job.module && <Raw mono>{job.module}</Raw>}
    </span>
  );
}

/** The next instants. Tabs that read figures of their own leave it at the first, which the job brings with it. */
function Next({ job, isWhole }: { job: JobOut; isWhole: boolean }) {
  const say = useSay();
  const at = job.next_due_at ?? job.next_at;
  const [from, setFrom] = useState(at);
  const { data, isPlaceholderData } = useQuery({ ...nextFires(job, from), enabled: isWhole && at !== null });
  const planned = data?.future.map((fire) => fire.due_at) ?? [];
  if (from !== at && !isPlaceholderData && (from === null || isUsedUp(at, planned))) setFrom(at);
  const [first, ...others] = nextOf(at, planned);
  if (first === undefined) return null;
  return (
    <span>
      {say("job.next")}{" "}
      <b>
        <At iso={first} />
      </b>{" "}
      <FromNow iso={first} />
      {others.map((iso) => (
        <Fragment key={iso}>
          {" · "}
          <At iso={iso} />
        </Fragment>
      ))}
    </span>
  );
}

/** When it runs for the first time, if its schedule says. What keeps it from that stands above, as a warning. */
function NeverRan({ job }: { job: JobOut }) {
  const say = useSay();
  const at = job.next_due_at ?? job.next_at;
  const isPaused = job.state === "PAUSED";
  const command = asAct({ verb: "job trigger", of: job.name, namespace: job.namespace });
  return (
    <div className="empty">
      <p>
        {say("job.no_runs")}{" "}
        {at !== null && !isPaused && (
          <>
            {say("job.first_at")} <At iso={at} /> (<FromNow iso={at} />)
          </>
        )}
        {isPaused && say("job.first_paused")}
        {job.schedule === null && say("job.first_triggered")}
      </p>
      {job.schedule === null && <Command text={command ?? ""} />}
    </div>
  );
}

const ownRuns = ({ namespace, name }: JobOut) => ({
  ...runs({ job: name, namespace }),
  queryKey: ["job", namespace, name, "runs"],
});

/** How many of the runs that were read and have begun did so late. Tabs that read figures of their own do not ask for them. */
function Late({ job, isAsked }: { job: JobOut; isAsked: boolean }) {
  const say = useSay();
  const { data } = useInfiniteQuery({ ...ownRuns(job), enabled: isAsked });
  const begun = data?.pages.flatMap((page) => page.items).filter((run) => run.delay_s !== null) ?? [];
  if (begun.length === 0) return null;
  return (
    <span title={say("job.late_says", { count: begun.length })}>
      {say("job.late")} <b>{lateOf(begun)}</b>
    </span>
  );
}

function PausedCard({ job }: { job: JobOut }) {
  const say = useSay();
  return (
    <div className="why">
      <p>
        {say("job.PAUSED")}
        {job.paused_at && (
          <>
            {" "}
            <At iso={job.paused_at} />
          </>
        )}
        {job.paused_by && (
          <>
            {" · "}
            <Raw>{job.paused_by}</Raw>
          </>
        )}
        {job.paused_until && (
          <>
            {" → "}
            <At iso={job.paused_until} /> (<FromNow iso={job.paused_until} />)
          </>
        )}
      </p>
      {job.pause_reason && (
        <p className="soft">
          <Raw>{job.pause_reason}</Raw>
        </p>
      )}
    </div>
  );
}

function Runs({ job }: { job: JobOut }) {
  const query = useInfiniteQuery(ownRuns(job));
  return (
    <Pages query={query} rows={6} empty={<NeverRan job={job} />}>
      {(all) => <RunTable runs={all} withJob={false} />}
    </Pages>
  );
}

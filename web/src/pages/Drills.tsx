/// Drills: a node is broken on purpose for a short time. What it would do, what it does now, what it did before.
import { Button, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { asked } from "../api/asked.ts";
import { call, ProblemError } from "../api/call.ts";
import { drill, drillPreview, drills, drillTypes } from "../api/queries.ts";
import type { DrillOut, DrillTypesOut } from "../api/types.ts";
import { Command } from "../parts/Command.tsx";
import { Confirm } from "../parts/Confirm.tsx";
import { Detail } from "../parts/Detail.tsx";
import { ListTable } from "../parts/ListTable.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { NodeLink } from "../parts/links.tsx";
import { Pages } from "../parts/Pages.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { State } from "../parts/State.tsx";
import { At, Took } from "../parts/Times.tsx";
import { isWord, useSay } from "../words/say.ts";

const isOpen = (one: DrillOut) => one.state === "ASKED" || one.state === "RUNNING";

export function Drills() {
  const say = useSay();
  const rights = useRights();
  const { id } = useSearch({ from: "/nodes" });
  const navigate = useNavigate({ from: "/nodes" });
  const types = useQuery(drillTypes());
  const history = useInfiniteQuery(drills());
  const [isAsking, setAsking] = useState(false);
  const limited = types.error instanceof ProblemError && types.error.status === 403;
  if (limited) return <p className="empty">{say("nodes.limited")}</p>;
  const mayRun = rights.admin && (types.data?.nodes.length ?? 0) > 0;
  return (
    <>
      <p className="row">
        <span className="soft">{say("drills.says")}</span>
        {mayRun && (
          <Button variant="default" onClick={() => setAsking(true)}>
            {say("drills.run")}
          </Button>
        )}
      </p>
      {types.data?.nodes.length === 0 && (
        <div className="empty">
          <p>{say("drills.nobody")}</p>
          <Command text="foliot worker jobs.py --allow-drills" />
        </div>
      )}
      <Pages query={history} empty={<p className="empty">{say("drills.none")}</p>}>
        {(all) => (
          <ListTable
            label={say("drills.list")}
            heads={[
              "drills.asked",
              "drills.type",
              "drills.node",
              "drills.state",
              { word: "drills.detected", isRight: true },
              { word: "drills.recovered", isRight: true },
              { word: "drills.lost", isRight: true },
              "drills.by",
            ]}
          >
            {all.map((one) => (
              <Line key={one.id} drill={one} />
            ))}
          </ListTable>
        )}
      </Pages>
      {isAsking && types.data && <RunDialog types={types.data} close={() => setAsking(false)} />}
      {id !== undefined && (
        <Opened id={id} close={() => void navigate({ search: (before) => ({ ...before, id: undefined }) })} />
      )}
    </>
  );
}

function Line({ drill: one }: { drill: DrillOut }) {
  const say = useSay();
  return (
    <tr>
      <td className="first">
        <Link from="/nodes" to="/nodes" search={(before) => ({ ...before, id: one.id })} className="name">
          <At iso={one.asked_at} />
        </Link>
      </td>
      <td>{say(`drilltype.${one.type}`)}</td>
      <td>
        <NodeLink node={one.node} />
      </td>
      <td>
        <State of={one.state} family="drill" />
      </td>
      <td className="right" data-label={say("drills.detected")}>
        <Took seconds={one.detected_s} />
      </td>
      <td className="right" data-label={say("drills.recovered")}>
        <Took seconds={one.recovered_s} />
      </td>
      <td className="right" data-label={say("drills.lost")}>
        {one.fires && <span className={one.fires.lost > 0 ? "tone-bad" : ""}>{one.fires.lost}</span>}
      </td>
      <td>
        <Raw>{one.by}</Raw>
      </td>
    </tr>
  );
}

/** What the drill would do is read from the server and shown before anything is broken. */
function RunDialog({ types, close }: { types: DrillTypesOut; close: () => void }) {
  const say = useSay();
  const [type, setType] = useState<DrillOut["type"]>("crash");
  const [node, setNode] = useState(types.nodes[0] ?? "");
  const [lasts, setLasts] = useState("30s");
  const [size, setSize] = useState("");
  const [isAlone, setAlone] = useState(false);
  const chosen = types.items.find((one) => one.type === type);
  const sized = chosen?.size ? size : "";
  const preview = useQuery(drillPreview(type, node, lasts, sized));
  const bodyOf = (reason: string) => ({ type, on: node, for: lasts, size: sized, alone: isAlone, reason });
  return (
    <Confirm
      title={say("drills.run")}
      says={say("drills.run_says")}
      action={say("drills.run")}
      isDanger
      isOff={!preview.data}
      act={(reason) => ({
        verb: "drill run",
        of: type,
        options: { on: node, for: lasts, size: sized, alone: isAlone || undefined, reason },
        asked: asked("run_drill", { body: bodyOf(reason) }),
        method: {
          name: "drills.run",
          given: [type],
          options: { on: node, for_: lasts, size: sized, alone: isAlone || undefined, reason },
        },
      })}
      close={close}
      change={({ reason, key }) => call("run_drill", { body: bodyOf(reason), key })}
    >
      <NativeSelect
        label={say("drills.type")}
        value={type}
        onChange={(event) => setType(event.currentTarget.value as DrillOut["type"])}
        data={types.items.map((one) => ({ value: one.type, label: say(`drilltype.${one.type}`) }))}
      />
      <NativeSelect
        label={say("drills.node")}
        value={node}
        translate="no"
        onChange={(event) => setNode(event.currentTarget.value)}
        data={types.nodes}
      />
      <TextInput
        label={say("drills.lasts")}
        value={lasts}
        onChange={(event) => setLasts(event.currentTarget.value)}
      />
      {chosen?.size && (
        <TextInput
          label={say(type === "clock_step" ? "drills.size_clock" : "drills.size_store")}
          placeholder={`${chosen.size.usual_s}s`}
          value={size}
          onChange={(event) => setSize(event.currentTarget.value)}
        />
      )}
      <div className="why">
        <p>{chosen?.breaks ?? ""}</p>
        <Loaded query={preview} rows={2}>
          {(found) => (
            <ul>
              {found.consequences.map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>
          )}
        </Loaded>
      </div>
      {preview.data?.others === 0 && (
        <Checkbox
          label={say("drills.alone")}
          checked={isAlone}
          onChange={(event) => setAlone(event.currentTarget.checked)}
        />
      )}
    </Confirm>
  );
}

function Opened({ id, close }: { id: number; close: () => void }) {
  const say = useSay();
  const query = useQuery(drill(id));
  return (
    <Detail title={say("drills.one", { id })} query={query} close={close}>
      {(found) => <Report drill={found} />}
    </Detail>
  );
}

const TIMES = ["detected_s", "failed_over_s", "recovered_s", "worst_delay_s"] as const;
const FIRES = ["due", "created", "skipped", "lost", "doubled", "early", "late"] as const;

function Report({ drill: one }: { drill: DrillOut }) {
  const say = useSay();
  const rights = useRights();
  const [isStopping, setStopping] = useState(false);
  return (
    <div className="stack">
      <p className="row">
        <b>{say(`drilltype.${one.type}`)}</b> <NodeLink node={one.node} />{" "}
        <State of={one.state} family="drill" />
        {rights.admin && isOpen(one) && (
          <Button variant="default" size="compact-sm" onClick={() => setStopping(true)}>
            {say("drills.stop")}
          </Button>
        )}
      </p>
      <dl className="pairs">
        <dt>{say("drills.asked")}</dt>
        <dd>
          <At iso={one.asked_at} /> <Raw>{one.by}</Raw> <Raw>{one.reason}</Raw>
        </dd>
        <dt>{say("drills.lasts")}</dt>
        <dd>
          <Took seconds={one.for_s} />
        </dd>
        {one.size_s !== null && (
          <Pair name={say("drills.size")}>
            {one.size_s < 0 ? "−" : ""}
            <Took seconds={one.size_s} />
          </Pair>
        )}
        {TIMES.map((time) => {
          const compared = `drillcompared.${one.compared[time] ?? ""}`;
          return (
            <Pair key={time} name={say(`drilltime.${time}`)}>
              {one[time] === null ? "–" : <Took seconds={one[time]} />}{" "}
              {isWord(compared) && <span className="soft small">{say(compared)}</span>}
            </Pair>
          );
        })}
        {one.fires &&
          FIRES.map((what) => (
            <Pair key={what} name={say(`drillfires.${what}`)}>
              {one.fires?.[what]}
            </Pair>
          ))}
        {one.rerun !== null && <Pair name={say("drills.rerun")}>{one.rerun}</Pair>}
      </dl>
      {one.failovers.length > 0 && (
        <p className="row">
          {say("drills.failovers")}
          {one.failovers.map((number) => (
            <Link key={number} from="/nodes" to="/nodes" search={{ tab: "failovers", id: number }}>
              {number}
            </Link>
          ))}
        </p>
      )}
      {isStopping && (
        <Confirm
          title={say("drills.stop")}
          says={say("drills.stop_says")}
          action={say("drills.stop")}
          hasReason={false}
          act={() => ({
            verb: "drill stop",
            of: String(one.id),
            asked: asked("stop_drill", { path: { number: one.id } }),
            method: { name: "drills.stop", given: [one.id] },
          })}
          close={() => setStopping(false)}
          change={({ key }) => call("stop_drill", { path: { number: one.id }, key })}
        />
      )}
    </div>
  );
}

function Pair({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/// One check, whole: how it is, what is waited for, how it is pinged, and its last pings.
import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { check as checkQuery, pings } from "../api/checks.ts";
import type { CheckOut, PingOut } from "../api/types.ts";
import { asCheckRun, asPing, asPingCurl, shellWord } from "../format/snippets.ts";
import { Command } from "../parts/Command.tsx";
import { type CheckAct, CheckActs } from "../parts/checkActions.tsx";
import { Detail } from "../parts/Detail.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { Raw } from "../parts/Raw.tsx";
import { Rhythm } from "../parts/Rhythm.tsx";
import { Runbook } from "../parts/Runbook.tsx";
import { State } from "../parts/State.tsx";
import { At, FromNow, Took } from "../parts/Times.tsx";
import { useSay } from "../words/say.ts";

const SHOWN = 20;

interface Props {
  name: string;
  namespace: string;
  act: (act: CheckAct) => void;
  close: () => void;
}

export function CheckDetail({ name, namespace, act, close }: Props) {
  const query = useQuery(checkQuery(namespace, name));
  return (
    <Detail title={<Raw>{name}</Raw>} query={query} close={close}>
      {(found) => <Content check={found} act={act} />}
    </Detail>
  );
}

function Content({ check, act }: { check: CheckOut; act: (act: CheckAct) => void }) {
  return (
    <div className="stack">
      <div className="why">
        <p>
          <State of={check.state} family="checkstate" />
        </p>
        <p className="raw">{check.in_words}</p>
        {isLong(check.last_text) && <pre className="box">{check.last_text}</pre>}
      </div>
      <div className="row">
        <CheckActs check={check} act={act} />
      </div>
      <Facts check={check} />
      <Ways check={check} />
      <Pings check={check} />
    </div>
  );
}

/** The sentence has the first letters of a single line. */
function isLong(said: string): boolean {
  return said.includes("\n") || said.length > 200;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function Facts({ check }: { check: CheckOut }) {
  const say = useSay();
  const { check: written } = check;
  const tags = Object.entries((written.tags ?? {}) as Record<string, string>);
  const to = Array.isArray(written.to) ? written.to.map(String) : [];
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">{say("checks.facts")}</h2>
      {text(written.description) && (
        <p className="soft">
          <Raw>{text(written.description)}</Raw>
        </p>
      )}
      <dl className="pairs">
        <Fact name={say("checks.rhythm")}>
          <Rhythm check={written} />
        </Fact>
        <Fact name={say("checks.grace")}>
          <Raw>{text(written.grace) || "5m"}</Raw>
        </Fact>
        {text(written.longest) && (
          <Fact name={say("checks.longest")}>
            <Raw>{text(written.longest)}</Raw>
          </Fact>
        )}
        {check.due_at && (
          <Fact name={say("checks.next")}>
            <At iso={check.due_at} /> (<FromNow iso={check.due_at} />)
          </Fact>
        )}
        {check.deadline_at && !check.down_since && (
          <Fact name={say("checks.deadline")}>
            <At iso={check.deadline_at} />
          </Fact>
        )}
        {check.down_since && (
          <Fact name={say("checks.down_since")}>
            <At iso={check.down_since} /> (<FromNow iso={check.down_since} />)
          </Fact>
        )}
        {check.ok_at && (
          <Fact name={say("checks.ok_at")}>
            <At iso={check.ok_at} />
          </Fact>
        )}
        {check.took !== null && (
          <Fact name={say("checks.took")}>
            <Took seconds={check.took} />
          </Fact>
        )}
        {text(written.owner) && (
          <Fact name={say("checks.owner")}>
            <Raw>{text(written.owner)}</Raw>
          </Fact>
        )}
        <Fact name={say("alerts.told")}>
          {to.length > 0 ? <Raw>{to.join(", ")}</Raw> : say("alerts.default_channels")}
        </Fact>
        {text(written.level) && (
          <Fact name={say("checks.level")}>
            <State of={text(written.level)} family="level" />
          </Fact>
        )}
        {text(written.runbook) && (
          <Fact name={say("alerts.runbook")}>
            <Runbook text={text(written.runbook)} />
          </Fact>
        )}
        {tags.length > 0 && (
          <Fact name={say("checks.tags")}>
            <Raw mono>{tags.map(([name, value]) => `${name}=${value}`).join(" ")}</Raw>
          </Fact>
        )}
        <Fact name={say("checks.version")}>
          <Raw>
            v{check.version} · {check.updated_by}
            {check.reason && `: ${check.reason}`}
          </Raw>
        </Fact>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** What the host does, to copy. */
function Ways({ check }: { check: CheckOut }) {
  const say = useSay();
  const { name, namespace } = check;
  const asked = { name, namespace, server: window.location.origin };
  const token = `foliot token create ${shellWord(name)} --scope ping --for-namespace ${shellWord(namespace)}`;
  return (
    <section aria-labelledby="ways">
      <h2 id="ways">{say("checks.how")}</h2>
      <Tabs defaultValue="run" keepMounted={false}>
        <Tabs.List aria-label={say("checks.how")}>
          <Tabs.Tab value="run">{say("checks.run")}</Tabs.Tab>
          <Tabs.Tab value="ping">{say("checks.ping")}</Tabs.Tab>
          <Tabs.Tab value="curl">
            <span translate="no">curl</span>
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="run">
          <Command text={asCheckRun(asked, "COMMAND")} />
        </Tabs.Panel>
        <Tabs.Panel value="ping">
          <Command text={asPing(asked)} />
        </Tabs.Panel>
        <Tabs.Panel value="curl">
          <Command text={asPingCurl(asked)} />
        </Tabs.Panel>
      </Tabs>
      <p className="soft small">{say("checks.how_says")}</p>
      <Command text={token} />
    </section>
  );
}

function Pings({ check }: { check: CheckOut }) {
  const say = useSay();
  const query = useQuery(pings(check.namespace, check.name));
  const [shown, setShown] = useState(SHOWN);
  return (
    <section aria-labelledby="pings">
      <h2 id="pings">{say("checks.pings")}</h2>
      <Loaded query={query} rows={3}>
        {(found) => (
          <>
            {found.items.length === 0 && <p className="soft">{say("checks.no_pings")}</p>}
            <ul className="lines">
              {found.items.slice(0, shown).map((ping) => (
                <Ping key={ping.number} ping={ping} />
              ))}
            </ul>
            {found.items.length > shown && (
              <button
                type="button"
                className="linklike accented"
                onClick={() => setShown(found.items.length)}
              >
                {say("do.show_more")}
              </button>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Ping({ ping }: { ping: PingOut }) {
  const say = useSay();
  return (
    <li>
      <State of={ping.kind} family="ping" />
      <At iso={ping.at} />
      {ping.took !== null && (
        <span className="soft">
          <Took seconds={ping.took} />
        </span>
      )}
      {ping.exit_code !== null && (
        <span className={ping.exit_code === 0 ? "soft" : "tone-bad"}>
          {say("checks.exit", { code: ping.exit_code })}
        </span>
      )}
      <span className="end soft">
        <Raw>{ping.by}</Raw>
      </span>
      {ping.text && (
        <p className="mono" translate="no">
          {ping.text}
        </p>
      )}
    </li>
  );
}

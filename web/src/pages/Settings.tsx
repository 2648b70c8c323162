/// Settings: what this browser shows, who is logged in, and what runs here.
import { Button, NativeSelect, useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { overview, settings as readSettings, whoami } from "../api/queries.ts";
import { logOut } from "../api/session.ts";
import type { SettingsOut } from "../api/types.ts";
import { browserZone } from "../format/time.ts";
import { ListTable } from "../parts/ListTable.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { chooseDensity, chooseZone, type Density, useDensity, useZone } from "../parts/settings.ts";
import { useSpeak } from "../parts/useSpeak.ts";
import { type Language, useLanguage, useSay } from "../words/say.ts";

export function SettingsPage() {
  const say = useSay();
  const rights = useRights();
  const { data: seen } = useQuery(overview(useZone()));
  const server = seen?.cluster?.nodes.find((node) => node.kind === "server");
  return (
    <>
      <div className="title">
        <h1>{say("set.title")}</h1>
      </div>
      <div className="columns">
        <div>
          <Look />
          <Session />
        </div>
        <div>
          {seen?.cluster && (
            <section className="part" aria-labelledby="about">
              <h2 id="about">{say("set.about")}</h2>
              <dl className="figures">
                <div>
                  <dt translate="no">Foliot</dt>
                  <dd translate="no">{server?.version}</dd>
                </div>
                <div>
                  <dt>{say("nodes.store")}</dt>
                  <dd translate="no">{seen.cluster.store}</dd>
                </div>
                <div>
                  <dt>{say("over.servers")}</dt>
                  <dd>{seen.cluster.servers_online}</dd>
                </div>
              </dl>
              <p>
                <Button component="a" href="/api/docs" variant="default" size="compact-sm">
                  {say("head.api")}
                </Button>
              </p>
            </section>
          )}
        </div>
      </div>
      {rights.admin && <OfTheServer />}
    </>
  );
}

function OfTheServer() {
  const say = useSay();
  const query = useQuery(readSettings());
  return (
    <section className="part gap" aria-labelledby="server">
      <h2 id="server">{say("set.server")}</h2>
      <Loaded query={query}>{(found) => <Settings found={found} />}</Loaded>
    </section>
  );
}

/** What a flag, the environment or a file said stands first: the rest is as it always is. */
function Settings({ found }: { found: SettingsOut }) {
  const say = useSay();
  const isGiven = (source: string) => source !== "default";
  const items = [
    ...found.items.filter((one) => isGiven(one.source)),
    ...found.items.filter((one) => !isGiven(one.source)),
  ];
  return (
    <>
      <p className="soft">
        {say("set.answered")} <Raw>{found.node}</Raw>
      </p>
      <ListTable
        label={say("set.server")}
        heads={["set.name", "set.value", "set.source", "set.place", "set.meaning"]}
      >
        {items.map((one) => (
          <tr key={one.name}>
            <td className="first">
              <Raw mono>{one.name}</Raw>
            </td>
            <td className="says">
              {one.value === "" ? (
                <span className="soft">{say(one.source === "file" ? "set.in_file" : "set.unset")}</span>
              ) : (
                <Raw mono>{one.value}</Raw>
              )}
            </td>
            <td>
              <span className={isGiven(one.source) ? "tag tone-busy" : "tag tone-idle"}>
                {say(`source.${one.source}`)}
              </span>
            </td>
            <td>{isGiven(one.source) && <Raw mono>{one.place}</Raw>}</td>
            <td className="soft says raw">{one.meaning}</td>
          </tr>
        ))}
      </ListTable>
    </>
  );
}

function Look() {
  const say = useSay();
  const speak = useSpeak();
  const language = useLanguage();
  const zone = useZone();
  const density = useDensity();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const mine = browserZone();
  return (
    <section className="part stack narrow" aria-labelledby="look">
      <h2 id="look">{say("set.look")}</h2>
      <NativeSelect
        label={say("set.language")}
        value={language}
        translate="no"
        onChange={(event) => void speak(event.currentTarget.value as Language)}
        data={[
          { value: "en", label: "English" },
          { value: "zh-CN", label: "中文" },
        ]}
      />
      <NativeSelect
        label={say("head.zone")}
        value={zone}
        translate="no"
        onChange={(event) => chooseZone(event.currentTarget.value)}
        data={mine === "UTC" ? ["UTC"] : [mine, "UTC"]}
      />
      <NativeSelect
        label={say("set.theme")}
        value={colorScheme}
        onChange={(event) => setColorScheme(event.currentTarget.value as typeof colorScheme)}
        data={[
          { value: "light", label: say("set.light") },
          { value: "dark", label: say("set.dark") },
          { value: "auto", label: say("set.system") },
        ]}
      />
      <NativeSelect
        label={say("set.density")}
        value={density}
        onChange={(event) => chooseDensity(event.currentTarget.value as Density)}
        data={[
          { value: "compact", label: say("set.compact") },
          { value: "comfortable", label: say("set.comfortable") },
        ]}
      />
    </section>
  );
}

function Session() {
  const say = useSay();
  const query = useQuery(whoami());
  return (
    <section className="part" aria-labelledby="session">
      <h2 id="session">{say("set.session")}</h2>
      <Loaded query={query} rows={1}>
        {(who) => (
          <>
            <p className="row">
              <b>
                <Raw>{who.name}</Raw>
              </b>
              {who.scopes.map((scope) => (
                <span key={scope} className="tag tone-idle" translate="no">
                  {scope}
                </span>
              ))}
              <Raw>{[who.namespace, who.group].filter(Boolean).join(" / ")}</Raw>
            </p>
            <Button variant="default" size="compact-sm" onClick={() => void logOut()}>
              {say("head.logout")}
            </Button>
          </>
        )}
      </Loaded>
    </section>
  );
}

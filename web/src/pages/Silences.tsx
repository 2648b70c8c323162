/// Silences: alerts that nobody is told of, until when and why; made for jobs, groups, nodes or a rule, and ended.
import { Button, Checkbox, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { silences } from "../api/alerts.ts";
import { asked } from "../api/asked.ts";
import { call } from "../api/call.ts";
import type { SilenceOut } from "../api/types.ts";
import { LastsSelect, silence as makeSilence, type SilenceTime, USUAL } from "../parts/alertActions.tsx";
import { Confirm } from "../parts/Confirm.tsx";
import { useDraft } from "../parts/draft.ts";
import { ListTable } from "../parts/ListTable.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { At, FromNow } from "../parts/Times.tsx";
import { tell } from "../parts/Toasts.tsx";
import { useSay } from "../words/say.ts";

const SUBJECTS = ["job", "group", "node"] as const;

export function Silences() {
  const say = useSay();
  const rights = useRights();
  const [isAll, setAll] = useState(false);
  const query = useQuery(silences(isAll));
  const [isNew, setNew] = useState(false);
  const [ended, setEnded] = useState<SilenceOut | null>(null);
  return (
    <>
      <div className="filters">
        {rights.run && <Button onClick={() => setNew(true)}>{say("silence.new")}</Button>}
        <Checkbox
          label={say("silence.with_ended")}
          checked={isAll}
          onChange={(event) => setAll(event.currentTarget.checked)}
        />
      </div>
      <Loaded query={query} rows={4}>
        {(found) =>
          found.items.length === 0 ? (
            <p className="empty">{say("silence.none")}</p>
          ) : (
            <SilenceTable silences={found.items} end={setEnded} />
          )
        }
      </Loaded>
      {isNew && <NewSilence close={() => setNew(false)} />}
      {ended && (
        <Confirm
          title={say("silence.end_title")}
          says={say("silence.end_says")}
          action={say("silence.end")}
          hasReason={false}
          act={() => ({
            verb: "alert unsilence",
            of: String(ended.id),
            asked: asked("end_silence", { path: { number: ended.id } }),
            method: { name: "silences.end", given: [ended.id] },
          })}
          close={() => setEnded(null)}
          change={async ({ key }) => {
            await call("end_silence", { path: { number: ended.id }, key });
            tell(say("silence.ended"));
          }}
        />
      )}
    </>
  );
}

function SilenceTable({ silences: all, end }: { silences: SilenceOut[]; end: (one: SilenceOut) => void }) {
  const say = useSay();
  const rights = useRights();
  return (
    <ListTable
      label={say("silence.list")}
      heads={["silence.what", "silence.until", "do.reason", "silence.by"]}
      hasActions
    >
      {all.map((one) => (
        <tr key={one.id} className={one.is_active ? undefined : "dim"}>
          <td className="first name">
            <What silence={one} />
          </td>
          <td data-label={say("silence.until")}>
            <At iso={one.until} /> (<FromNow iso={one.until} />)
          </td>
          <td className="wrapped">
            <Raw>{one.reason}</Raw>
          </td>
          <td data-label={say("silence.by")}>
            <Raw>{one.made_by}</Raw>
            {one.ended_by && (
              <span className="soft">
                {" "}
                {say("silence.ended_by")} <Raw>{one.ended_by}</Raw>
              </span>
            )}
          </td>
          <td className="tight">
            {rights.run && isOpen(one) && (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`${say("silence.end")} ${one.id}`}
                onClick={() => end(one)}
              >
                {say("silence.end")}
              </Button>
            )}
          </td>
        </tr>
      ))}
    </ListTable>
  );
}

/** It holds, or is yet to begin. */
function isOpen(one: SilenceOut): boolean {
  return one.is_active || (one.ended_by === null && Date.parse(one.from_at) > Date.now());
}

function What({ silence }: { silence: SilenceOut }) {
  const say = useSay();
  const { of, rule, alert } = silence;
  const tags = Object.entries(of.tags ?? {}).map(([name, value]) => `${name}=${value}`);
  const named = SUBJECTS.filter((one) => of[one]);
  const isAll = alert === null && rule === "" && named.length === 0 && tags.length === 0;
  return (
    <span className="row">
      {alert !== null && (
        <Link to="/alerts" search={{ id: alert }}>
          {say("alerts.one", { id: alert })}
        </Link>
      )}
      {named.map((one) => (
        <span key={one}>
          {say(`rules.of_${one}`)} <Raw mono>{of[one]}</Raw>
        </span>
      ))}
      {rule && (
        <span>
          {say("alerts.rule")} <Raw mono>{rule}</Raw>
        </span>
      )}
      {tags.length > 0 && <Raw mono>{tags.join(" ")}</Raw>}
      {isAll && say("silence.everything")}
      {silence.namespace !== null && silence.namespace !== "default" && (
        <span className="soft">
          <Raw>{silence.namespace}</Raw>
        </span>
      )}
    </span>
  );
}

const NOTHING = {
  of: { job: "", group: "", node: "" },
  rule: "",
  isAll: false,
  lasts: USUAL as SilenceTime,
  why: "",
};

function NewSilence({ close }: { close: () => void }) {
  const say = useSay();
  const [{ of, rule, isAll, lasts, why }, keep, forget] = useDraft("silence", NOTHING);
  const isNamed = rule !== "" || SUBJECTS.some((one) => of[one] !== "");
  const wish = { of, rule, everything: isAll && !isNamed, for: lasts, reason: why };
  return (
    <Confirm
      title={say("silence.new")}
      says={say("silence.says")}
      action={say("silence.do")}
      hasReason={false}
      isOff={why.trim() === "" || (!isNamed && !isAll)}
      act={() => ({
        verb: "alert silence",
        options: { ...of, rule, everything: wish.everything || undefined, for: lasts, reason: why },
        asked: asked("make_silence", { body: wish }),
        method: {
          name: "silences.make",
          given: [],
          options: { of, rule, everything: wish.everything || undefined, lasts, reason: why },
        },
      })}
      close={() => {
        forget();
        close();
      }}
      change={async () => {
        await makeSilence(wish, say("silence.done", { for: say(`lasts.${lasts}`) }), say("do.undo"));
      }}
    >
      {SUBJECTS.map((one) => (
        <TextInput
          key={one}
          label={say(`rules.of_${one}`)}
          placeholder="*"
          value={of[one]}
          onChange={(event) => keep({ of: { ...of, [one]: event.currentTarget.value } })}
          {...(one === "job" && { "data-autofocus": true })}
        />
      ))}
      <TextInput
        label={say("alerts.rule")}
        value={rule}
        onChange={(event) => keep({ rule: event.currentTarget.value })}
      />
      {!isNamed && (
        <Checkbox
          label={say("silence.everything")}
          checked={isAll}
          onChange={(event) => keep({ isAll: event.currentTarget.checked })}
        />
      )}
      <LastsSelect value={lasts} set={(next) => keep({ lasts: next })} />
      <TextInput
        label={say("do.reason")}
        required
        maxLength={500}
        value={why}
        onChange={(event) => keep({ why: event.currentTarget.value })}
      />
    </Confirm>
  );
}

/// Tokens: who may do what until when. A new one shows its secret once.
import { Button, Checkbox, Modal, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { asked } from "../api/asked.ts";
import { call, newKey } from "../api/call.ts";
import { tokens } from "../api/queries.ts";
import type { IssuedOut, TokenOut } from "../api/types.ts";
import { tokenAct } from "../format/formActs.ts";
import { Command } from "../parts/Command.tsx";
import { Confirm } from "../parts/Confirm.tsx";
import { FoldedCopyAs } from "../parts/CopyAs.tsx";
import { useDraft } from "../parts/draft.ts";
import { FormFoot } from "../parts/FormFoot.tsx";
import { useFocusBack } from "../parts/focus.ts";
import { ListTable } from "../parts/ListTable.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useNow } from "../parts/settings.ts";
import { At, FromNow } from "../parts/Times.tsx";
import { tell } from "../parts/Toasts.tsx";
import { useSay } from "../words/say.ts";

const SCOPES = ["read", "run", "write", "admin", "worker", "script", "lock", "ping"];

export function TokensPage() {
  const say = useSay();
  const [isAll, setAll] = useState(false);
  const query = useQuery(tokens(isAll));
  const [isNew, setNew] = useState(false);
  const [revoked, setRevoked] = useState<TokenOut | null>(null);
  const [rotated, setRotated] = useState<TokenOut | null>(null);
  return (
    <>
      <div className="title">
        <h1>{say("tokens.title")}</h1>
        <div className="acts">
          <Button onClick={() => setNew(true)}>{say("tokens.new")}</Button>
        </div>
      </div>
      <div className="filters">
        <Checkbox
          label={say("tokens.all")}
          checked={isAll}
          onChange={(event) => setAll(event.currentTarget.checked)}
        />
      </div>
      <Loaded query={query}>
        {(found) => <TokenTable tokens={found.items} rotate={setRotated} revoke={setRevoked} />}
      </Loaded>
      {rotated && <Rotation token={rotated} close={() => setRotated(null)} />}
      {isNew && <NewToken close={() => setNew(false)} />}
      {revoked && (
        <Confirm
          title={say("tokens.revoke_title", { name: revoked.name })}
          says={say("tokens.revoke_says")}
          action={say("tokens.revoke")}
          hasReason={false}
          isDanger
          close={() => setRevoked(null)}
          change={async ({ key }) => {
            await call("revoke_token", { path: { name: revoked.id }, key });
            tell(say("tokens.revoked_one", { name: revoked.name }));
          }}
        />
      )}
    </>
  );
}

interface TableProps {
  tokens: TokenOut[];
  rotate: (token: TokenOut) => void;
  revoke: (token: TokenOut) => void;
}

function TokenTable({ tokens: all, rotate, revoke }: TableProps) {
  const say = useSay();
  const now = useNow();
  return (
    <ListTable
      label={say("tokens.list")}
      heads={[
        "tokens.name",
        "tokens.scopes",
        "tokens.within",
        "tokens.made",
        "tokens.used",
        "tokens.expires",
      ]}
      hasActions
    >
      {all.map((token) => (
        <tr key={token.id} className={lifeOf(token, now) === "over" ? "over" : undefined}>
          <td className="first name">
            <Raw>{token.name}</Raw>
          </td>
          <td>
            <span className="row" translate="no">
              {token.scopes.map((scope) => (
                <span key={scope} className="tag tone-idle">
                  {scope}
                </span>
              ))}
            </span>
          </td>
          <td>
            <Raw>{[token.namespace, token.group].filter(Boolean).join(" / ")}</Raw>
          </td>
          <td data-label={say("tokens.made")}>
            <At iso={token.created_at} />{" "}
            <span className="soft">
              <Raw>{token.created_by}</Raw>
            </span>
          </td>
          <td data-label={say("tokens.used")}>
            {token.last_used_at && <FromNow iso={token.last_used_at} />}
          </td>
          <td data-label={say("tokens.expires")}>
            <Ends token={token} life={lifeOf(token, now)} />
          </td>
          <td className="tight">
            {lifeOf(token, now) === "good" && <Act word="tokens.rotate" token={token} act={rotate} />}
            {lifeOf(token, now) !== "over" && <Act word="tokens.revoke" token={token} act={revoke} />}
          </td>
        </tr>
      ))}
    </ListTable>
  );
}

type Life = "good" | "grace" | "over";

/** A token that was given a new secret goes on for its grace. */
function lifeOf({ revoked_at }: TokenOut, nowMs: number): Life {
  if (revoked_at === null) return "good";
  return Date.parse(revoked_at) > nowMs ? "grace" : "over";
}

function Ends({ token, life }: { token: TokenOut; life: Life }) {
  const say = useSay();
  if (life === "over") return <span className="tag tone-bad">{say("tokens.revoked")}</span>;
  return (
    <span className="row">
      <FromNow iso={token.revoked_at ?? token.expires_at} />
      {life === "grace" && <span className="tag tone-wait">{say("tokens.in_grace")}</span>}
    </span>
  );
}

interface ActProps {
  word: "tokens.rotate" | "tokens.revoke";
  token: TokenOut;
  act: (token: TokenOut) => void;
}

function Act({ word, token, act }: ActProps) {
  const say = useSay();
  return (
    <Button
      mr={4}
      size="compact-xs"
      variant="default"
      aria-label={`${say(word)} ${token.name}`}
      onClick={() => act(token)}
    >
      {say(word)}
    </Button>
  );
}

const NEW_TOKEN = { name: "", scopes: ["read"] as string[], namespace: "", group: "", expires: "90d" };

function NewToken({ close }: { close: () => void }) {
  useFocusBack();
  const say = useSay();
  const client = useQueryClient();
  const [{ name, scopes, namespace, group, expires }, keep, forget] = useDraft("token", NEW_TOKEN);
  const [key, setKey] = useState(newKey);
  const choose = (scope: string, isWanted: boolean) =>
    keep({ scopes: SCOPES.filter((one) => (one === scope ? isWanted : scopes.includes(one))) });
  const leave = () => {
    forget();
    close();
  };
  const body = { name, scopes, expires, ...(namespace && { namespace }), ...(group && { group }) };
  const making = useMutation({
    mutationFn: () => call("create_token", { body, key }),
    onSuccess: () => {
      forget(); // also when the page is left before the dialog
      void client.invalidateQueries({ queryKey: ["tokens"] });
    },
    onError: () => setKey(newKey()),
  });
  return (
    <Modal
      opened
      onClose={leave}
      title={say("tokens.new")}
      closeButtonProps={{ "aria-label": say("do.close") }}
      transitionProps={{ duration: 0 }}
      centered
    >
      {making.data ? (
        <Once issued={making.data} close={leave} />
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (!making.isPending) making.mutate();
          }}
        >
          <TextInput
            label={say("tokens.name")}
            required
            value={name}
            onChange={(event) => keep({ name: event.currentTarget.value })}
            data-autofocus
          />
          <fieldset className="row plainset">
            <legend>{say("tokens.scopes")}</legend>
            {SCOPES.map((scope) => (
              <Checkbox
                key={scope}
                label={<span translate="no">{scope}</span>}
                checked={scopes.includes(scope)}
                onChange={(event) => choose(scope, event.currentTarget.checked)}
              />
            ))}
          </fieldset>
          <TextInput
            label={say("tokens.namespace")}
            value={namespace}
            onChange={(event) => keep({ namespace: event.currentTarget.value })}
          />
          <TextInput
            label={say("tokens.group")}
            value={group}
            onChange={(event) => keep({ group: event.currentTarget.value })}
          />
          <TextInput
            label={say("tokens.lives", { example: "12h, 90d" })}
            required
            value={expires}
            onChange={(event) => keep({ expires: event.currentTarget.value })}
          />
          {name !== "" && scopes.length > 0 && (
            <FoldedCopyAs
              act={tokenAct({ name, scopes, expires, namespace, group }, asked("create_token", { body }))}
            />
          )}
          <FormFoot
            action={say("tokens.make")}
            isPending={making.isPending}
            error={making.error}
            close={leave}
          />
        </form>
      )}
    </Modal>
  );
}

/** A new secret for a token; the old one goes on for a while, so that programs are changed one after the other. */
function Rotation({ token, close }: { token: TokenOut; close: () => void }) {
  useFocusBack();
  const say = useSay();
  const client = useQueryClient();
  const [grace, setGrace] = useState("24h");
  const [key, setKey] = useState(newKey);
  const { id, name } = token;
  const rotating = useMutation({
    mutationFn: () => call("rotate_token", { path: { name: id }, body: { grace }, key }),
    onSuccess: () => void client.invalidateQueries({ queryKey: ["tokens"] }),
    onError: () => setKey(newKey()),
  });
  return (
    <Modal
      opened
      onClose={close}
      title={say("tokens.rotate_title", { name })}
      closeButtonProps={{ "aria-label": say("do.close") }}
      transitionProps={{ duration: 0 }}
      centered
    >
      {rotating.data ? (
        <Once issued={rotating.data} close={close} />
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (!rotating.isPending) rotating.mutate();
          }}
        >
          <p>{say("tokens.rotate_says")}</p>
          <TextInput
            label={say("tokens.grace", { example: "0, 12h, 7d" })}
            required
            value={grace}
            onChange={(event) => setGrace(event.currentTarget.value)}
            data-autofocus
          />
          <FoldedCopyAs
            act={{
              verb: "token rotate",
              of: name,
              options: { grace },
              asked: asked("rotate_token", { path: { name }, body: { grace } }),
              method: { name: "tokens.rotate", given: [name], options: { grace } },
            }}
          />
          <FormFoot
            action={say("tokens.rotate")}
            isPending={rotating.isPending}
            error={rotating.error}
            close={close}
          />
        </form>
      )}
    </Modal>
  );
}

/** The secret is in this one answer: it is kept in no cache and in no store of the browser. */
function Once({ issued, close }: { issued: IssuedOut; close: () => void }) {
  const say = useSay();
  return (
    <div className="stack">
      <p>{say("tokens.once", { name: issued.record.name })}</p>
      <Command text={issued.token} />
      <div className="row">
        <Button onClick={close}>{say("tokens.kept")}</Button>
      </div>
    </div>
  );
}

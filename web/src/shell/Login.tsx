/// Getting in: by the link that a command prints, or with a token or code.
import { Button, PasswordInput } from "@mantine/core";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { call } from "../api/call.ts";
import { whoami } from "../api/queries.ts";
import { logIn } from "../api/session.ts";
import { seesTheSame } from "../format/sight.ts";
import { Command } from "../parts/Command.tsx";
import { ProblemBox } from "../parts/Problem.tsx";
import { useSay } from "../words/say.ts";

export function LoginForm({ says, onIn }: { says: string; onIn?: () => void }) {
  const say = useSay();
  const client = useQueryClient();
  const [secret, setSecret] = useState("");
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);

  const enter = async (wanted: string) => {
    setBusy(true);
    setError(null);
    try {
      await logIn(wanted.trim());
      await readAnew(client);
      onIn?.();
    } catch (failed) {
      setError(failed as Error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (secret.trim() !== "" && !isBusy) void enter(secret);
      }}
    >
      <p>{says}</p>
      <Command text="foliot login-link" />
      <PasswordInput
        label={say("login.or")}
        aria-label={say("login.secret")}
        value={secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
        autoComplete="off"
        visibilityToggleButtonProps={{ "aria-label": say("login.show") }}
      />
      {error && <ProblemBox error={error} />}
      <div>
        <Button type="submit" loading={isBusy}>
          {say("login.enter")}
        </Button>
      </div>
    </form>
  );
}

/**
 * What the new session may not see goes off the screen. Who sees the same keeps what is there while it is read anew, and
 * with it the dialogs that stand within it.
 */
async function readAnew(client: QueryClient): Promise<void> {
  const key = whoami().queryKey;
  const before = client.getQueryData(key);
  const now = await call("whoami").catch(() => undefined);
  if (!before || !now || !seesTheSame(before, now)) return await client.resetQueries();
  client.setQueryData(key, now);
  await client.resetQueries({ queryKey: ["views"] }); // these are the user's own
  await client.invalidateQueries();
}

/** `/login#CODE`: the code buys the session. It stands behind the #, which no browser sends and no log keeps. */
export function LoginPage({ onIn }: { onIn: () => void }) {
  const say = useSay();
  const client = useQueryClient();
  const [code] = useState(takeCode);
  const [error, setError] = useState<Error | null>(null);

  const isIn = useRef(onIn);
  isIn.current = onIn;
  useEffect(() => {
    if (code === "") return;
    window.history.replaceState(null, "", "/login"); // out of the address and of the history
    bought(code)
      .then(() => readAnew(client))
      .then(() => isIn.current())
      .catch((failed: Error) => setError(failed));
  }, [code, client]);

  return (
    <main className="center stack">
      <h1>
        <span translate="no">Foliot</span> · {say("login.title")}
      </h1>
      {code !== "" && error === null ? (
        <p role="status">{say("login.working")}</p>
      ) : (
        <>
          {error && <ProblemBox error={error} />}
          <LoginForm says={say("login.says")} onIn={onIn} />
        </>
      )}
    </main>
  );
}

let buying: Promise<void> | null = null;

/** The session that a code buys: once, however often the page asks for it. */
function bought(code: string): Promise<void> {
  buying ??= logIn(code);
  return buying;
}

let taken: string | null = null;

/** The code of the address, however often it is asked for. */
function takeCode(): string {
  taken ??= decodeURIComponent(window.location.hash.slice(1));
  return taken;
}

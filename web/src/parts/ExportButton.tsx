/// What a filter lets through as a file of JSON lines: read page by page, with how far it is, until somebody stops it.
import { Button } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { allPages, asLines, type ReadPage } from "../api/allPages.ts";
import { tellProblem } from "../live/notices.ts";
import { useSay } from "../words/say.ts";
import { useProblem } from "./Problem.tsx";
import { saveFile } from "./saveFile.ts";
import { tell } from "./Toasts.tsx";

const MAX = 20_000;

export function ExportButton<T>({ file, read }: { file: string; read: ReadPage<T> }) {
  const say = useSay();
  const problem = useProblem();
  const [count, setCount] = useState<number | null>(null); // null: nothing is being read
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const start = async () => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setCount(0);
    try {
      const { items, isCut } = await allPages(read, { max: MAX, told: setCount, signal });
      saveFile(`${file}.jsonl`, asLines(items), "application/jsonl");
      tell(say(isCut ? "export.cut" : "export.done", { count: items.length }));
    } catch (error) {
      if (!signal.aborted) tellProblem(problem(error as Error));
    } finally {
      setCount(null);
    }
  };
  const press = () => (count === null ? void start() : stop.current?.abort());
  return (
    <Button variant="default" onClick={press}>
      {count === null ? say("export.start") : say("export.stop", { count })}
    </Button>
  );
}

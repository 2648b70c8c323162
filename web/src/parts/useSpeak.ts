/// The choice of a language: its words come first, then what the server says is read anew in it.
import { useQueryClient } from "@tanstack/react-query";
import { tellProblem } from "../live/notices.ts";
import { choose, type Language, useSay } from "../words/say.ts";

export function useSpeak(): (language: Language) => Promise<void> {
  const say = useSay();
  const client = useQueryClient();
  return async (language) => {
    try {
      await choose(language);
    } catch {
      tellProblem({ title: say("fail.part"), hint: say("fail.part_hint"), code: "" });
      return;
    }
    await client.invalidateQueries();
  };
}

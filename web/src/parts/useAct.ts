/// One press without a dialog: what went wrong is told, with the next step and its code.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { tellProblem } from "../live/notices.ts";
import { useProblem } from "./Problem.tsx";

export function useAct<T = void>(act: (given: T) => Promise<void>) {
  const client = useQueryClient();
  const problem = useProblem();
  return useMutation({
    mutationFn: act,
    onSuccess: () => void client.invalidateQueries(),
    onError: (error) => tellProblem(problem(error)),
  });
}

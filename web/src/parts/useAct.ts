/// One press without a dialog: what went wrong is told like what went well.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useProblem } from "./Problem.tsx";
import { tell } from "./Toasts.tsx";

export function useAct<T = void>(act: (given: T) => Promise<void>) {
  const client = useQueryClient();
  const problem = useProblem();
  return useMutation({
    mutationFn: act,
    onSuccess: () => void client.invalidateQueries(),
    onError: (error) => tell(problem(error).title),
  });
}

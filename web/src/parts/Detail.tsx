/// One of a list, whole, in a drawer beside it: it is read when it is opened.
import { Drawer } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useSay } from "../words/say.ts";
import { Loaded } from "./Loaded.tsx";

interface Props<T> {
  title: ReactNode;
  query: UseQueryResult<T>;
  close: () => void;
  children: (found: T) => ReactNode;
}

export function Detail<T>({ title, query, close, children }: Props<T>) {
  const say = useSay();
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size="lg"
      title={title}
      closeButtonProps={{ "aria-label": say("do.close") }}
      transitionProps={{ duration: 0 }}
    >
      <Loaded query={query} rows={6}>
        {children}
      </Loaded>
    </Drawer>
  );
}

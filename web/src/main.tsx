/// Where the console begins.
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ProblemError } from "./api/call.ts";
import { overview, whoami } from "./api/queries.ts";
import "./look/mantine.css";
import "./look/app.css";
import { theme } from "./look/theme.ts";
import { readZone } from "./parts/settings.ts";
import { router } from "./router.tsx";
import { startWords, Words } from "./words/say.ts";

const RETRIES_MAX = 3;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2000,
      refetchOnWindowFocus: true,
      // What the server refuses it refuses again; what it did not answer it may answer soon.
      retry: (failures, error) => {
        const isRefused = error instanceof ProblemError && error.status >= 400 && error.status < 500;
        return !isRefused && failures < RETRIES_MAX;
      },
    },
  },
});

const nonce = document.querySelector<HTMLMetaElement>('meta[name="foliot-nonce"]')?.content ?? "";

// The packages that draw dialogs look for the nonce of their styles here.
Object.assign(window, { __webpack_nonce__: nonce });

/** Both languages: the words of neither came. */
const WORDLESS = "Foliot did not come whole. Load the page anew. · Foliot 没有完整加载，请刷新页面。";

async function start(): Promise<void> {
  const words = startWords();
  // What the frame of every page shows is asked for while the words are on their way.
  if (window.location.pathname !== "/login") {
    void client.prefetchQuery(whoami());
    void client.prefetchQuery(overview(readZone()));
  }
  const place = document.getElementById("root");
  if (!place) return;
  try {
    await words;
  } catch {
    place.className = "center";
    place.textContent = WORDLESS;
    return;
  }
  createRoot(place).render(
    <StrictMode>
      <Words>
        <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
          <QueryClientProvider client={client}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </MantineProvider>
      </Words>
    </StrictMode>,
  );
}

void start();

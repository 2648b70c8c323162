/// What a channel would be told: its messages, in both languages. Nothing was sent.
import type { MessagePreviewOut } from "../api/types.ts";
import { useSay } from "../words/say.ts";

export function Previewed({ messages }: { messages: MessagePreviewOut[] }) {
  const say = useSay();
  return messages.map((message) => (
    <section key={message.language} className="why" lang={message.language} translate="no">
      <h2>{say(message.language === "zh" ? "channels.zh" : "channels.en")}</h2>
      <p>
        <strong>{message.title}</strong>
      </p>
      <p>{message.text}</p>
      <dl className="pairs">
        {Object.entries(message.facts).map(([name, value]) => (
          <div key={name} className="pair">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  ));
}

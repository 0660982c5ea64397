// People whose contact details a customer has sent.

import { t } from "../../../../texts/texts";
import type { ContactCard } from "./contactCards";

export function ContactCards({ cards }: { cards: ContactCard[] }) {
  return (
    <ul class="contact-cards" aria-label={t("type.contacts")}>
      {cards.map((card, index) => (
        <li key={index}>
          <b dir="auto">{card.name}</b>
          {card.details.map((detail) => (
            <bdi key={detail}>{detail}</bdi>
          ))}
        </li>
      ))}
    </ul>
  );
}

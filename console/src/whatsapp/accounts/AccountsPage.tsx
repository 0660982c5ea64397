// The company's WhatsApp accounts: sign-up at Meta, and whether the events of each account arrive.

import { useState } from "preact/hooks";
import { AccountChoice } from "../AccountChoice";
import { AwsAccounts } from "./AwsAccounts";
import { Destination } from "./Destination";
import { SignUp } from "./SignUp";
import { Webhook } from "./Webhook";
import "../whatsapp.css";

export function AccountsPage({ isOperator }: { isOperator: boolean }) {
  const [connected, setConnected] = useState(0); // numbers, after which the accounts are read again
  const onConnected = () => setConnected(connected + 1);
  return (
    <>
      {isOperator && <SignUp onConnected={onConnected} />}
      {isOperator && <AwsAccounts onConnected={onConnected} />}
      <AccountChoice key={connected} title="ops.part.accounts" about="accounts.about">
        {(account) => (account.isAtAws ? <Destination account={account} /> : <Webhook account={account} isOperator={isOperator} />)}
      </AccountChoice>
    </>
  );
}

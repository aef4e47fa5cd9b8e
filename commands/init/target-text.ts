/** A target file with a comment for each thing that one more line of it would make testable. It holds no secret. */
import { stringify } from 'yaml';
import { NOT_SENT, type Seen, type Survey } from './survey';

/** The text of a target file. @param name how the report is to call the server */
export function targetText(name: string, baseURL: string, { accounts }: Survey): string {
  const differ = new Set(accounts.filter(({ sameAs }) => sameAs.length === 0).map((account) => account.name)).size > 1;
  return `# A target file: what is known of one server. Keys and passwords belong in the environment or in .env, never here.
name: ${quoted(name)}
baseURL: ${quoted(baseURL)}

accounts:
${accounts.map(accountText).join('')}${differ ? '' : ANOTHER_ACCOUNT}
# Only if the server has another limit than the published one. Such a run cannot be certified.
# rate: { requests: 1, seconds: 1 }

# Sent with every request, for example to a gateway before staging. The values are secrets.
# headers: { X-Staging-Gate: "\${GATE}" }

# Shown to a server that asks for a client certificate (mutual TLS). Paths start at this file.
# clientCertificate: { cert: client.pem, key: client-key.pem }

# Tests notifications as well: a local port, a tunnel to it, and a command that makes the service send.
# notifications:
#   listen: 127.0.0.1:9099
#   accounts: [${accounts[0]?.name ?? 'default'}]
#   trigger: ./send-notification.sh    # gets KIND and ACCOUNT, runs in the directory of this file
#   waitSeconds: 3

# Known failures that shall not fail the run until a given day.
# waivers:
#   - { clause: rate.refusal-429, reason: "TICKET-12", until: 2027-01-31 }
`;
}

const ANOTHER_ACCOUNT = `  # A second account with other settings makes auth.own-settings, auth.isolation and rate.per-user testable, and the
  # run shorter.
  # - name: another
  #   apiKey: \${ANOTHER_KEY}
`;

function accountText({ name, variable, isAccepted, answer, hasPassword, settings }: Seen): string {
  const doubt =
    isAccepted || answer === NOT_SENT ? '' : `    # When this file was written, this key was not accepted.\n`;
  const seen = hasPassword === null ? '' : ` The server says ${hasPassword}.`;
  const password = `${variable.replace(/_?KEY/, '')}_PASSWORD`.replace(/^_/, '');
  return `  - name: ${quoted(name)}
    apiKey: \${${variable}}
${doubt}    # Whether a password is stored, as you know it (settings.has-password-stored or -not-stored).${seen}
    # hasPassword: ${hasPassword ?? true}
    # The stored password. It is looked for in every response and never sent to the API.
    # password: \${${password}}
    # Any part of the settings (settings.as-configured). ${settings === null ? 'An example:' : 'The server shows these; keep what you configured:'}
    # settings: ${settings ?? '{ start: { status: true }, auth: { type: basic } }'}
`;
}

function quoted(text: string): string {
  return stringify(text, { lineWidth: 0, defaultStringType: 'PLAIN', blockQuote: false }).trim();
}

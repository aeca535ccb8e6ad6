// Untrusted JSON is only read by parseJson and parseMessageJson, and untrusted bytes only become text in decodeUtf8. These tests find every
// other call of a JSON parser, and of a decoder that may replace bad bytes or drop a byte order mark.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const packages = fileURLToPath(new URL('../../../', import.meta.url))
const other = /JSON\.parse\(|\.json\(\)|\/json-in\.js'/

/** Files that parse JSON otherwise, and the origin of their text. */
const allowed: Readonly<Record<string, string>> = {
  'toolwire/src/json/parse.ts': 'the reader itself',
  'toolwire/src/json/fault-places.ts': 'words of a text that the reader has read',
  'toolwire/src/json/walk-text.ts': 'words of a text that the reader has read',
  'toolwire/src/policy/frozen-copy.ts': 'a copy of a value',
  'toolwire/src/server/calls/effects.ts': 'a copy of a value',
  'toolwire/src/server/calls/client-log.ts': 'a copy of a value',
  'toolwire/src/policy/audit/memory-log.ts': 'a text of our own',
  'toolwire/src/policy/rules/received-labels.ts': 'a key of our own',
  'toolwire/src/policy/audit/verify.ts': 'whether a line is JSON at all',
  'toolwire/src/peer/sealer.ts': 'what we have sealed',
  'toolwire/src/schema/dialects/metaschemas.ts': 'a text in the source',
  'toolwire/src/testing/wire.ts': 'what a test shows of a message',
  'toolwire/src/text/secrets/checks.ts': 'whether a text is the header of a token',
  'toolwire/src/policy/rules/read/read-json.ts': 'the line of a fault in a text that the reader has refused',
  'check/src/session/session.ts': 'a copy of a value',
  'check/src/json.ts': 'what a server under test says, however wrong it is, and arguments that an operator types',
  'check/src/cli.ts': 'our own package.json',
  'gateway/src/json/json-in.ts': 'the function for texts that may be none, whose callers are named here, too',
  'gateway/src/cli/api/api-client.ts': 'the gateway that an operator has named',
  'gateway/src/cli/call/show-result.ts': 'whether a text is a value that was given beside it',
  'gateway/src/cli/up/log-printer.ts': 'a line of our own log',
  'gateway/src/cli/api/watch-events.ts': 'the gateway that an operator has named',
  'gateway/src/cli/doctor/check-gateway.ts': 'the gateway that an operator has named',
  'gateway/src/cli/audit/follow-records.ts': 'the gateway that an operator has named',
  'gateway/src/cli/audit/verify.ts': 'a copy of a value',
  'gateway/src/cli/policy/explain.ts': 'a short number, true or false',
  'gateway/src/config/describe-config.ts': 'a copy of a value',
  'gateway/src/config/editing/masked-diff.ts': 'a copy of a value',
  'gateway/src/upstreams/logins/login-store.ts': 'what the store has kept',
  'gateway/src/api/control/api-calls.ts': 'a copy of a value',
  'gateway/src/lifecycle/version.ts': 'our own package.json',
  'gateway/src/store/management-token.ts': 'what a gateway of this account has written',
  'gateway/src/store/approvals/approval-row.ts': 'what the store has kept',
  'gateway/src/store/database/audit/call-index.ts': 'what the store has kept',
  'gateway/src/store/approvals/approval-records.ts': 'what the store has kept',
  'gateway/src/store/mirrored/tool-marks.ts': 'what the store has kept',
  'gateway/src/store/mirrored/memory-mirror.ts': 'what the store has kept',
  'gateway/src/store/audit/signed-head.ts': 'whether a text is a head, whose signature is checked',
  'gateway/src/config/trust/accepted-parts.ts': 'what was accepted, in a file of our own',
  'gateway/src/config/trust/untrusted-parts.ts': 'a copy of a value',
  'gateway/src/store/approvals/sealed-arguments.ts': 'what we have sealed',
  'gateway/src/store/approvals/stored-approvals.ts': 'what the store has kept',
  'gateway/src/store/audit/log-reader.ts': 'what the store has kept',
  'gateway/src/http/replicas/forwarded-message.ts': 'what another replica has sealed',
  'gateway/src/http/replicas/login-returns.ts': 'what another replica has sealed',
  'gateway/src/store/witness/read-heads.ts': 'whether a line is JSON at all',
  'gateway/src/store/audit/verify-export.ts': 'a line of a file that an operator has named, which is signed',
  'gateway/src/store/postgres/approvals/approval-transitions.ts': 'what the store has kept',
  'gateway/src/store/postgres/audit/checkpoint.ts': 'what this gateway has signed',
  'gateway/src/store/postgres/audit/dropped-streams.ts': 'a record of our own',
  'gateway/src/store/postgres/audit/follow-streams.ts': 'a record of our own',
  'gateway/src/store/postgres/spool/spooled-group.ts': 'what this gateway has sealed',
  'gateway/src/store/postgres/config-versions.ts': 'what a gateway or the command has written',
  'gateway/src/store/copy/copy-log.ts': 'a log that was verified',
  'gateway/src/cli/audit/check-witness.ts': 'a copy of the log that an operator has named, and that is verified besides',
  'gateway/src/store/postgres/audit/record-rows.ts': 'a record of our own',
  'toolwire/src/postgres/shared-approvals.ts': 'what the database has kept',
  'toolwire/src/postgres/shared-changes.ts': 'what the database has kept',
  'toolwire/src/postgres/shared-grants.ts': 'what the database has kept',
  'toolwire/src/postgres/shared-pins.ts': 'what the database has kept',
  'toolwire/src/postgres/shared-sessions.ts': 'what the database has kept',
  'toolwire/src/postgres/shared-tasks.ts': 'what the database has kept',
  'console/src/api/api.ts': 'the gateway that serves the page',
  'console/src/api/server-login.ts': 'what the page has kept',
  'console/src/api/session.ts': 'the gateway that serves the page',
  'console/src/api/read-events.ts': 'the gateway that serves the page',
  'console/src/audit/Record.tsx': 'the gateway that serves the page',
  'console/src/schemas/issues-at.ts': 'a name in an issue of our own',
  'console/src/schemas/read-json.ts': 'words of the engine for a text that the reader has refused',
}

const code = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line))
    .map((line) => line.replace(/\s\/\/ .*$/, ''))
    .join('\n')

const filesWith = (pattern: RegExp): string[] =>
  ['toolwire', 'check', 'gateway', 'console'].flatMap((name) =>
    readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => `${name}/src/${file.replaceAll('\\', '/')}`)
      .filter((file) => pattern.test(code(readFileSync(join(packages, file), 'utf8')))),
  )

it('only the one reader parses untrusted JSON', () => {
  expect(filesWith(other).sort()).toEqual(Object.keys(allowed).sort())
})

/** Of headers and other texts that are none yet, toString() is called with a question mark. */
const otherDecoder =
  /TextDecoder(?:Stream)?\(|[^?]\.toString\((?:\)|'utf-?8')|setEncoding\(|\.text\(\)|stream\/consumers|createInterface\(|, 'utf-?8'\)/

/** Files that decode bytes otherwise or call another toString, and the reason why a replaced byte or a dropped mark does no harm. */
const allowedDecoders: Readonly<Record<string, string>> = {
  'toolwire/src/json/utf8.ts': 'the decoder itself',
  'toolwire/src/json/fault-places.ts': 'the place of a bad byte; the text is not used',
  'toolwire/src/text/hidden/remove-matches.ts': 'code units of a string',
  'toolwire/src/peer/sealer.ts': 'JSON that we have sealed',
  'toolwire/src/policy/sanitize/text-in-data.ts':
    'data in the encoding that its mark says, as clients would show it; only cleaned data is sent on',
  'toolwire/src/transports/message-intake.ts': 'an excerpt for a warning, which may be cut within a character',
  'toolwire/src/transports/stdio/client/child/child-transport.ts': 'stderr of a program, for people',
  'toolwire/src/auth/introspection.ts': 'a form',
  'toolwire/src/client/oauth/registration/client-identity.ts': 'a form',
  'toolwire/src/policy/observe/baggage.ts': 'an object of OpenTelemetry',
  'check/src/cli.ts': 'our own package.json',
  'check/src/connection/http.ts': 'a server under test: a wrong byte costs its own message only',
  'check/src/connection/stdio.ts': 'a server under test: a wrong byte costs its own message only',
  'console/src/audit/Audit.tsx': 'a query',
  'console/src/page/route.ts': 'a query',
  'console/src/results/media.ts': 'the source of a drawing, for people',
  'gateway/src/approvals/webhook.ts': 'a number',
  'gateway/src/cli/api/api-client.ts': 'the gateway that an operator has named, whose JSON is valid UTF-8',
  'gateway/src/cli/doctor/check-callers.ts': 'the names of accounts, for advice',
  'gateway/src/cli/login/browser-return.ts': 'a URL that a person pastes',
  'gateway/src/http/replicas/forwarded-message.ts': 'JSON that another replica has sealed',
  'gateway/src/http/replicas/login-returns.ts': 'JSON that another replica has sealed',
  'gateway/src/http/replicas/relay-response.ts': 'what another replica has encoded',
  'gateway/src/lifecycle/version.ts': 'our own package.json',
  'gateway/src/monitoring/short-text.ts': 'a copy of a text',
  'gateway/src/store/audit/signed-head.ts': 'a key of our own as PEM',
  'gateway/src/store/data-directory.ts': 'keys, whose form is checked, and tokens and names of processes in files of our own',
  'gateway/src/store/database/audit/audit-rows.ts': 'records that were tested to be UTF-8',
  'gateway/src/store/postgres/spool/spool-file.ts': 'lines that this gateway has sealed',
  'gateway/src/store/secrets/gateway-keys.ts': 'keys, whose form is checked',
  'gateway/src/store/secrets/seal.ts': 'text that we have sealed',
  'gateway/src/store/witness/read-heads.ts': 'heads, whose signatures are checked',
  'gateway/src/store/witness/write-head.ts': 'one byte',
}

it('only the one decoder makes text of untrusted bytes', () => {
  expect(filesWith(otherDecoder).sort()).toEqual(Object.keys(allowedDecoders).sort())
})

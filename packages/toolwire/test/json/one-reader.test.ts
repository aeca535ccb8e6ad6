// Untrusted JSON is only read by parseJson and parseMessageJson. This test finds every other call of a JSON parser.
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
  'gateway/src/stdio/join-gateway.ts': 'the gateway in the same data directory',
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

it('only the one reader parses untrusted JSON', () => {
  const found = ['toolwire', 'check', 'gateway', 'console'].flatMap((name) =>
    readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => `${name}/src/${file.replaceAll('\\', '/')}`)
      .filter((file) => other.test(code(readFileSync(join(packages, file), 'utf8')))),
  )
  expect(found.sort()).toEqual(Object.keys(allowed).sort())
})

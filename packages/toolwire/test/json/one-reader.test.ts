// Texts of strangers are read by parseJson and parseMessageJson, and by nothing else: whoever reads one in another way shows up here.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const packages = fileURLToPath(new URL('../../../', import.meta.url))
const other = /JSON\.parse\(|\.json\(\)/

/** Files that read JSON in another way, and whose text it is. */
const allowed: Readonly<Record<string, string>> = {
  'toolwire/src/json/parse.ts': 'the reader itself',
  'toolwire/src/json/faults.ts': 'words of a text that the reader has read',
  'toolwire/src/json/walk.ts': 'words of a text that the reader has read',
  'toolwire/src/policy/frozen.ts': 'a copy of a value',
  'toolwire/src/server/once.ts': 'a copy of a value',
  'toolwire/src/server/log.ts': 'a copy of a value',
  'toolwire/src/policy/audit/rows.ts': 'a text of our own',
  'toolwire/src/policy/audit/verify.ts': 'whether a line is JSON at all',
  'toolwire/src/peer/seal.ts': 'what we have sealed',
  'toolwire/src/schema/metaschemas.ts': 'a text in the source',
  'toolwire/src/testing/wire.ts': 'what a test shows of a message',
  'toolwire/src/policy/sanitize/secrets/checks.ts': 'whether a text is the header of a token',
  'toolwire/src/policy/rules/json-places.ts': 'a key of a text that the reader has read or refused',
  'toolwire/src/policy/rules/read-json.ts': 'the line of a fault in a text that the reader has refused',
  'gateway/src/check/talk.ts': 'a copy of a value',
  'gateway/src/check/command.ts': 'arguments that an operator types for a test',
  'gateway/src/check/rows/structured.ts': 'whether a text is a value that was given beside it',
  'gateway/src/check/wire/read.ts': 'what a server under test says, however wrong it is',
  'gateway/src/commands/api/api.ts': 'the gateway that an operator has named',
  'gateway/src/commands/api/events.ts': 'the gateway that an operator has named',
  'gateway/src/commands/doctor/gateway.ts': 'the gateway that an operator has named',
  'gateway/src/commands/audit/follow.ts': 'the gateway that an operator has named',
  'gateway/src/commands/audit/verify.ts': 'a copy of a value',
  'gateway/src/commands/call/show-result.ts': 'whether a text is a value that was given beside it',
  'gateway/src/commands/policy/explain.ts': 'a short number, true or false',
  'gateway/src/commands/up/log.ts': 'a line for a log, which is only printed',
  'gateway/src/config/describe.ts': 'a copy of a value',
  'gateway/src/gateway/hosts/join.ts': 'the gateway in the same data directory',
  'gateway/src/gateway/logins/kept.ts': 'what the store has kept',
  'gateway/src/gateway/own-calls.ts': 'a copy of a value',
  'gateway/src/gateway/version.ts': 'our own package.json',
  'gateway/src/store/database/approval-rows.ts': 'what the store has kept',
  'gateway/src/store/database/call-index.ts': 'what the store has kept',
  'gateway/src/store/kept-requests.ts': 'what the store has kept',
  'gateway/src/store/marks.ts': 'what the store has kept',
  'gateway/src/store/mirror.ts': 'what the store has kept',
  'gateway/src/store/signed-head.ts': 'whether a text is a head, whose signature is checked',
  'gateway/src/config/trust/accepted.ts': 'what was accepted, in a file of our own',
  'gateway/src/config/trust/parts.ts': 'a copy of a value',
  'gateway/src/store/said-calls.ts': 'what we have sealed',
  'gateway/src/store/stored-approvals.ts': 'what the store has kept',
  'gateway/src/store/stored-audit.ts': 'what the store has kept',
  'console/src/api/api.ts': 'the gateway that serves the page',
  'console/src/api/logging-in.ts': 'what the page has kept',
  'console/src/api/session.ts': 'the gateway that serves the page',
  'console/src/api/stream.ts': 'the gateway that serves the page',
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

it('no text of a stranger is read but by the one reader', () => {
  const found = ['toolwire', 'gateway', 'console'].flatMap((name) =>
    readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => `${name}/src/${file.replaceAll('\\', '/')}`)
      .filter((file) => other.test(code(readFileSync(join(packages, file), 'utf8')))),
  )
  expect(found.sort()).toEqual(Object.keys(allowed).sort())
})

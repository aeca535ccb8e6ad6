// Describes how a server differs from the one accepted under its name, without secrets.
import { plainText } from 'toolwire/relay'
import { isDecidingVariable } from '../../config/servers/program-files.js'
import type { ServerFacts } from '../../config/servers/server-identity.js'

/** One sentence for the approver; `before` is undefined if it is not known. */
export function describeServerChange(name: string, before: ServerFacts | undefined, now: ServerFacts | undefined): string {
  const begins = `This is not the server that was accepted as ${name}`
  if (!before || !now) return `${begins}: no description of the accepted server was stored.`
  const changes = changesBetween(before, now)
  return `${begins}: ${changes.length === 0 ? hiddenChange(now) : changes.join('; ')}.`
}

/** Values of variables are not stored, so it is not known which one has changed. */
function hiddenChange(now: ServerFacts): string {
  const variables = now.kind === 'child' ? now.env.filter(isDecidingVariable).map(quoted) : []
  const also = variables.length === 0 ? '' : `, or the value of ${variables.join(' or ')}, which decides which code is loaded`
  return `the difference is in a value that is not shown here, such as a secret argument${also}`
}

function changesBetween(before: ServerFacts, now: ServerFacts): string[] {
  if (before.kind === 'child' && now.kind === 'child') return [...childChanges(before, now)]
  if (before.kind !== 'child' && now.kind !== 'child' && before.kind !== 'example' && now.kind !== 'example')
    return [...remoteChanges(before, now)]
  return [`it was ${nounOf(before)} before, and is ${nounOf(now)} now`]
}

type Child = ServerFacts & { readonly kind: 'child' }
type Remote = ServerFacts & { readonly kind: 'http' | 'sse' }

function* childChanges(before: Child, now: Child): Generator<string> {
  const [was, is] = [lineOf(before), lineOf(now)]
  if (was !== is) yield `its command changed from ${quoted(was)} to ${quoted(is)}`
  if (before.cwd !== now.cwd) yield `its folder changed from ${placeOf(before.cwd)} to ${placeOf(now.cwd)}`
  yield* listChanges('the environment variable', before.env, now.env)
  for (const { path, hash } of now.files) {
    const old = before.files.find((file) => file.path === path)
    if (old && old.hash !== hash) yield `the file ${quoted(path)} has another content`
    else if (!old && was === is) yield `the file ${quoted(path)} is new`
  }
  if (was === is)
    for (const { path } of before.files)
      if (!now.files.some((file) => file.path === path)) yield `the file ${quoted(path)} is gone`
}

function* remoteChanges(before: Remote, now: Remote): Generator<string> {
  if (before.url !== now.url) yield `its address changed from ${quoted(before.url)} to ${quoted(now.url)}`
  if (before.kind !== now.kind) yield `it is reached over ${now.kind} and no longer over ${before.kind}`
  if (before.login !== now.login) yield `its login changed from ${before.login} to ${now.login}`
  yield* listChanges('the header', before.headers, now.headers)
}

function* listChanges(what: string, before: readonly string[], now: readonly string[]): Generator<string> {
  for (const name of now) if (!before.includes(name)) yield `it gets ${what} ${quoted(name)} now`
  for (const name of before) if (!now.includes(name)) yield `it no longer gets ${what} ${quoted(name)}`
}

const lineOf = ({ command, args }: Child): string => [command, ...args].join(' ')
const placeOf = (cwd: string | undefined): string => (cwd === undefined ? 'the folder of the gateway' : quoted(cwd))

function nounOf(facts: ServerFacts): string {
  if (facts.kind === 'child') return `the command ${quoted(lineOf(facts))}`
  return facts.kind === 'example' ? `the example ${facts.name}` : `the address ${quoted(facts.url)}`
}

const longest = 300

/** Quotes a text, cut to a maximum length, with invisible characters written out. */
function quoted(text: string): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text
  return plainText.visible(JSON.stringify(cut))
}

// Checks the options of server() by name: an unknown one is misspelt, or belongs elsewhere.
import { definitionError } from '../tools/checks/definition-error.js'
import { adviseAll, checkOptions, type OptionHints, optionsOf } from '../tools/checks/known-options.js'
import {
  atLeast,
  either,
  listOf,
  oneOf,
  someFunction,
  someObject,
  someText,
  someTexts,
  trueOrFalse,
  wholeNumber,
} from '../tools/checks/option-values.js'
import type { HttpOptions } from '../transports/http/server/options.js'
import type { CacheHints } from './cache-hints.js'
import type { ServerGuard, ServerOptions, ToolSet } from './options.js'

type Given = ServerOptions<ToolSet> & { http?: HttpOptions }

const known = optionsOf<Given>()('tools resources prompts cache timeout limits', {
  'name version title description websiteUrl replica': someText,
  instructions: either(someText, someFunction),
  'showingFor serves': someFunction,
  'fixed logging anonymousResults': trueOrFalse,
  'icons policies': listOf(someObject),
  revisions: someTexts,
  profile: oneOf('official', 'pocket'),
  pageSize: wholeNumber(1),
  secret: either(someText, someTexts),
  questionTimeout: atLeast(0),
  'guard http extensions limitStore taskStore spentTickets sharedChanges': someObject,
})
const guarding = 'audit access rateLimit validate sanitize observe pin rules approve concurrency'
const mounting = 'port host hosts path origins authenticate auth resource sessionless legacySse cors'
const insteadOf: OptionHints = {
  ...adviseAll(guarding, (name) => `Write it in \`guard\`: guard: { ${name}: … }.`),
  ...adviseAll(mounting, 'Pass it to listen(app, { … }), or as `http: { … }` for `app.fetch`.'),
  capabilities: 'Leave it out: capabilities are derived from the tools, resources and prompts.',
  ...adviseAll('templates resourceTemplates', 'Put templates among `resources`.'),
  timeoutMs: 'Write `timeout: { idleMs, totalMs }`.',
  middleware: 'Write `policies`.',
}

const timeout = optionsOf<NonNullable<Given['timeout']>>()({ 'idleMs totalMs': atLeast(0) })
const guarded = optionsOf<ServerGuard>()('limits', { guard: someObject, policies: listOf(someObject) })
const cache = optionsOf<CacheHints>()({ ttlMs: wholeNumber(0), scope: oneOf('public', 'private') })

export function checkServerOptions(options: Given): void {
  checkOptions('A server', options, known, insteadOf)
  checkOptions('`timeout`', options.timeout, timeout)
  checkOptions('`cache`', options.cache, cache)
  checkNamed('tools', options.tools, 'search')
  checkNamed('resources', options.resources, 'readme')
  checkNamed('prompts', options.prompts, 'greet')
}

export const checkServerGuard = (given: ServerGuard): void => checkOptions('A guarded server', given, guarded)

/** Refuses lists, whose entries would be named by their index. */
function checkNamed(what: string, given: unknown, name: string): void {
  if (given === undefined) return
  if (typeof given !== 'object' || given === null || Symbol.iterator in given)
    throw definitionError(`\`${what}\` must be an object whose keys are the names: ${what}: { ${name}: … }`)
}

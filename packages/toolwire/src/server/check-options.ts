// Checks the options of server() by name: an unknown one is misspelt, or belongs elsewhere.
import { definitionError } from '../tools/checks/definition-error.js'
import { adviseAll, checkOptions, type OptionHints, optionsOf } from '../tools/checks/known-options.js'
import type { HttpOptions } from '../transports/http/server/options.js'
import type { CacheHints } from './cache-hints.js'
import type { ServerLimits, ServerOptions, ToolSet } from './options.js'

type Given = ServerOptions<ToolSet> & { http?: HttpOptions }

const known = optionsOf<Given>()(
  'name version title description websiteUrl icons instructions tools resources prompts showingFor serves fixed guard policies',
  'revisions profile pageSize cache logging secret timeout questionTimeout limits extensions anonymousResults limitStore taskStore',
  'spentTickets sharedChanges replica http',
)
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

const limits = optionsOf<ServerLimits>()('inFlight inFlightEach queue lists reads resultBytes')
const timeout = optionsOf<NonNullable<Given['timeout']>>()('idleMs totalMs')
const cache = optionsOf<CacheHints>()('ttlMs scope')

export function checkServerOptions(options: Given): void {
  checkOptions('A server', options, known, insteadOf)
  checkOptions('`limits`', options.limits, limits)
  checkOptions('`timeout`', options.timeout, timeout)
  checkOptions('`cache`', options.cache, cache)
  checkNamed('tools', options.tools, 'search')
  checkNamed('resources', options.resources, 'readme')
  checkNamed('prompts', options.prompts, 'greet')
}

/** Refuses lists, whose entries would be named by their index. */
function checkNamed(what: string, given: unknown, name: string): void {
  if (given === undefined) return
  if (typeof given !== 'object' || given === null || Symbol.iterator in given)
    throw definitionError(`\`${what}\` must be an object whose keys are the names: ${what}: { ${name}: … }`)
}

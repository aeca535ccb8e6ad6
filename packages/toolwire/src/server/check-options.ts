// The options of server() by name: any other name is misspelt, or belongs elsewhere.
import { definitionError } from '../tools/checks/definition-error.js'
import { checkOptions, type KnownOptions, type OptionHints } from '../tools/checks/known-options.js'
import type { HttpOptions } from '../transports/http/server/options.js'
import type { CacheHints } from './cache-hints.js'
import type { ServerLimits, ServerOptions, ToolSet } from './options.js'

type Given = ServerOptions<ToolSet> & { http?: HttpOptions }

const known: KnownOptions<Given> = {
  name: true,
  version: true,
  title: true,
  description: true,
  websiteUrl: true,
  icons: true,
  instructions: true,
  tools: true,
  resources: true,
  prompts: true,
  showingFor: true,
  serves: true,
  fixed: true,
  guard: true,
  policies: true,
  revisions: true,
  profile: true,
  pageSize: true,
  cache: true,
  logging: true,
  secret: true,
  timeout: true,
  questionTimeout: true,
  limits: true,
  extensions: true,
  anonymousResults: true,
  limitStore: true,
  taskStore: true,
  spentTickets: true,
  http: true,
}

const guarding = (name: string) => `Write it in \`guard\`: guard: { ${name}: … }.`
const mounting = 'Give it to what serves the server: listen(app, { … }), or `http: { … }` for `app.fetch`.'
const insteadOf: OptionHints = {
  ...Object.fromEntries(
    ['audit', 'access', 'rateLimit', 'validate', 'sanitize', 'observe', 'pin', 'rules', 'approve', 'concurrency'].map((name) => [
      name,
      guarding(name),
    ]),
  ),
  ...Object.fromEntries(
    ['port', 'host', 'hosts', 'path', 'origins', 'authenticate', 'auth', 'resource', 'sessionless', 'legacySse', 'cors'].map(
      (name) => [name, mounting],
    ),
  ),
  capabilities: 'Leave it out: capabilities follow from what the server has.',
  templates: 'Put templates among `resources`.',
  resourceTemplates: 'Put templates among `resources`.',
  timeoutMs: 'Write `timeout: { idleMs, totalMs }`.',
  middleware: 'Write `policies`.',
}

const limits: KnownOptions<ServerLimits> = {
  inFlight: true,
  inFlightEach: true,
  queue: true,
  lists: true,
  reads: true,
  resultBytes: true,
}
const timeout: KnownOptions<NonNullable<Given['timeout']>> = { idleMs: true, totalMs: true }
const cache: KnownOptions<CacheHints> = { ttlMs: true, scope: true }

export function checkServerOptions(options: Given): void {
  checkOptions('A server', options, known, insteadOf)
  checkOptions('`limits`', options.limits, limits)
  checkOptions('`timeout`', options.timeout, timeout)
  checkOptions('`cache`', options.cache, cache)
  checkNamed('tools', options.tools, 'search')
  checkNamed('resources', options.resources, 'readme')
  checkNamed('prompts', options.prompts, 'greet')
}

/** In a list everything would be named by its number. */
function checkNamed(what: string, given: unknown, name: string): void {
  if (given === undefined) return
  if (typeof given !== 'object' || given === null || Symbol.iterator in given)
    throw definitionError(`\`${what}\` is an object whose keys are the names: ${what}: { ${name}: … }`)
}

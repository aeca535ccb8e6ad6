// Validates every message that a test sends or receives with the official schema of its revision.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'
import { encodeJson } from '../src/json.js'
import type { ToolSet } from '../src/server/options.js'
import type { Server } from '../src/server/server.js'
import { type Harness, type HarnessOptions, harness } from '../src/testing/harness.js'
import type { Frame } from '../src/testing/wire.js'
import { dataFolder } from './data.js'
import { afterEachTest } from './each-test.js'

type Definition = { properties?: { method?: { const?: string } } }
type Definitions = Record<string, Definition>
type Check = (definition: string, value: unknown) => string | undefined
type Message = { id?: string | number; method?: string; result?: Record<string, unknown>; error?: unknown }

const folder = dataFolder('mcp-schema')

type Judge = {
  readonly definitions: Definitions
  /** The definition of each message that has a method. */
  readonly byMethod: ReadonlyMap<string | undefined, string>
  readonly check: Check
}

const kept = globalThis as { judges?: Map<string, Judge> } // no other code uses this global name
/** The compiled schemas are global, so that they survive files that reload all modules. */
kept.judges ??= new Map()
const { judges } = kept

/** Every process compiles the schemas itself, and they are known to be valid, so their own validation is skipped. */
const quickly = { validateSchema: false, meta: false, inlineRefs: false, code: { optimize: false } } as const

function judge(revision: string): Judge {
  const known = judges.get(revision)
  if (known) return known
  const schema = JSON.parse(readFileSync(join(folder, revision, 'schema.json'), 'utf8'))
  const root = schema.$defs ? '$defs' : 'definitions'
  const options = { strict: false, validateFormats: false, allErrors: false, ...quickly } as const
  const ajv = schema.$defs ? new Ajv2020.default(options) : new Ajv.default(options)
  ajv.addSchema(schema, 'mcp')
  const check: Check = (definition, value) => {
    const validate = ajv.getSchema(`mcp#/${root}/${definition}`)
    if (!validate) throw new Error(`${revision} has no ${definition}`)
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }
  const definitions: Definitions = schema[root]
  const made = { definitions, byMethod: methodsOf(definitions), check }
  judges.set(revision, made)
  return made
}

/** If several definitions have the same method, the first one counts. */
const methodsOf = (definitions: Definitions): Judge['byMethod'] =>
  new Map(
    Object.entries(definitions)
      .map(([name, { properties }]) => [properties?.method?.const, name] as const)
      .reverse(),
  )

/** The validation errors of a value against a named definition of the revision, if any. */
export const fits = (revision: string, definition: string, value: unknown): string | undefined =>
  judge(revision).check(definition, value)

/** The validation errors of one message. If it is a response, `method` is that of its request. */
export function complaints(revision: string, message: unknown, method?: string): string[] {
  const plain = JSON.parse(encodeJson(message)) as Message
  if (Array.isArray(plain)) return plain.flatMap((one) => complaints(revision, one, method))
  const { check, ...known } = judge(revision)
  const wrong = namesFor(plain, known, method).map((name) => [name, check(name, bodyOf(plain, name))] as const)
  // A result may have several definitions, and must match one of them.
  return wrong.some(([, complaint]) => complaint === undefined) ? [] : wrong.map(([name, complaint]) => `${name}: ${complaint}`)
}

/** Definitions of results describe the `result` member; all others describe the whole message. */
const bodyOf = (message: Message, name: string) =>
  message.result !== undefined && name.endsWith('Result') ? message.result : message

function namesFor(message: Message, { definitions, byMethod }: Omit<Judge, 'check'>, method: string | undefined): string[] {
  if (message.error !== undefined)
    return [definitions.JSONRPCErrorResponse ? 'JSONRPCErrorResponse' : 'JSONRPCError'].filter(
      () => message.id !== undefined && message.id !== null,
    )
  if (message.method !== undefined) return callNames(message, byMethod)
  return resultNames(method, definitions)
}

function callNames({ method, id }: Message, byMethod: Judge['byMethod']): string[] {
  return [byMethod.get(method) ?? (id === undefined ? 'JSONRPCNotification' : 'JSONRPCRequest')]
}

const results: Readonly<Record<string, readonly string[]>> = {
  initialize: ['InitializeResult'],
  'server/discover': ['DiscoverResult'],
  'tools/list': ['ListToolsResult'],
  'tools/call': ['CallToolResult', 'InputRequiredResult', 'CreateTaskResult'],
  'resources/list': ['ListResourcesResult'],
  'resources/templates/list': ['ListResourceTemplatesResult'],
  'resources/read': ['ReadResourceResult', 'InputRequiredResult'],
  'prompts/list': ['ListPromptsResult'],
  'prompts/get': ['GetPromptResult', 'InputRequiredResult'],
  'completion/complete': ['CompleteResult'],
  'tasks/get': ['GetTaskResult'],
  'tasks/list': ['ListTasksResult'],
  'tasks/cancel': ['CancelTaskResult'],
  'subscriptions/listen': ['SubscriptionsListenResult'],
  'sampling/createMessage': ['CreateMessageResult'],
  'elicitation/create': ['ElicitResult'],
  'roots/list': ['ListRootsResult'],
}

function resultNames(method: string | undefined, definitions: Definitions): string[] {
  const known = (results[method ?? ''] ?? []).filter((name) => name in definitions)
  // The core schema has no definitions for results of extensions, such as tasks. They are only checked as `Result`.
  return known.length > 0 && method !== 'tools/call' ? known : [...known, 'Result']
}

/** The validation errors of a whole conversation. A result of tools/call that has content must be a CallToolResult. */
export function judgeFrames(revision: string, frames: readonly Frame[]): string[] {
  const methods = new Map<string, string>()
  return frames.flatMap(({ from, message }) => {
    const { id, method } = message as Message
    if (method !== undefined && id !== undefined) methods.set(`${from} ${typeof id} ${id}`, method)
    const asker = from === 'client' ? 'server' : 'client'
    return strict(revision, message as Message, methods.get(`${asker} ${typeof id} ${id}`)).map(
      (complaint) => `${from}: ${complaint} in ${encodeJson(message).slice(0, 400)}`,
    )
  })
}

function strict(revision: string, message: Message, method: string | undefined): string[] {
  const { result } = message
  if (method === 'tools/call' && result && 'content' in result) {
    const complaint = judge(revision).check('CallToolResult', JSON.parse(encodeJson(result)))
    return complaint === undefined ? [] : [`CallToolResult: ${complaint}`]
  }
  return complaints(revision, message, method)
}

const open: { revision: string; frames: readonly Frame[]; lenient: boolean }[] = []

/** A harness that validates every message at the end of the test. With `lenient`, the client may send invalid messages on purpose. */
export async function judged<T extends ToolSet>(
  app: Server<T>,
  { lenient = false, ...options }: HarnessOptions & { lenient?: boolean } = {},
): Promise<Harness<T>> {
  const made = await harness(app, options)
  const { hear } = made
  open.push({ revision: made.revision, frames: made.frames, lenient })
  return Object.assign(made, { hear: (method: string, ms = 60_000) => hear(method, ms) })
}

afterEachTest(() => {
  for (const { revision, frames, lenient } of open.splice(0)) {
    const found = judgeFrames(revision, frames).filter((complaint) => !lenient || complaint.startsWith('server'))
    if (found.length > 0) throw new Error(`Messages that break the official schema of ${revision}:\n${found.join('\n')}`)
  }
})

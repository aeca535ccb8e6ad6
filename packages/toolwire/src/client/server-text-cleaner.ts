// Cleans all text from a server before people and models see it, in the same way as results.

import { finishInTurns, type Steps } from '../bounds/steps.js'
import { isObject, type Json, type JsonObject } from '../json.js'
import { RpcError } from '../jsonrpc/error.js'
import type { ContentCleaner } from '../policy/sanitize/cleaner.js'
import { findingsKey } from '../policy/sanitize/findings-key.js'
import type { ResultCleaning } from '../policy/sanitize/result-cleaner.js'
import { asRefusal, foundWords, UnsafeContent } from '../policy/sanitize/sanitize-rules.js'
import type { ServerMethod } from '../revisions/methods.js'
import { capped } from '../text/cut.js'
import type { Content } from '../tools/content.js'
import type { ToolResult } from '../tools/result.js'

/** Cleans the text of a server. Text that a rule refuses is withheld, with a Refusal that says why. */
export interface ServerTextCleaner {
  /** Cleans the answer to a request of this method. `note` is called for entries that are left out. Long texts are cleaned in turns. */
  answer(method: string, result: JsonObject, note: (text: string) => void): JsonObject | Promise<JsonObject>
  error(thrown: Error): Error | Promise<Error>
  notification(method: string, params: JsonObject): JsonObject | Promise<JsonObject>
  /** Cleans a question from the server to a person, a model or this side. */
  question(method: string, params: JsonObject): JsonObject | Promise<JsonObject>
  /** Cleans the result of a call that no policy has seen. */
  result(result: ToolResult): Promise<ToolResult>
}

/** Leaves all text as it is, for `guard: { sanitize: false }`. */
export const uncleanedText: ServerTextCleaner = {
  answer: (_, result) => result,
  error: (thrown) => thrown,
  notification: (_, params) => params,
  question: (_, params) => params,
  result: async (result) => result,
}

type CleanInput = { readonly result: JsonObject; readonly make: () => ContentCleaner; readonly note: (text: string) => void }
type CleanAnswer = (said: CleanInput) => Steps<JsonObject>

function* asItIs({ result }: CleanInput): Steps<JsonObject> {
  yield
  return result
}

/** One cleaner for each method. The type requires all of them, so that no new method is forgotten. */
const cleaners: { readonly [M in ServerMethod]: CleanAnswer } = {
  initialize: opening,
  'server/discover': opening,
  ping: asItIs,
  // Left unchanged for scanning and pinning. Hidden characters are dealt with where definitions are shown.
  'tools/list': asItIs,
  // The policies around the call clean its result.
  'tools/call': withTask,
  'resources/list': entries,
  'resources/templates/list': entries,
  'resources/read': contents,
  'resources/subscribe': asItIs,
  'resources/unsubscribe': asItIs,
  'prompts/list': entries,
  'prompts/get': messages,
  'completion/complete': values,
  'logging/setLevel': asItIs,
  'subscriptions/listen': asItIs,
  'tasks/get': withTask,
  'tasks/update': withTask,
  'tasks/result': withTask,
  'tasks/cancel': withTask,
  'tasks/list': withTask,
}

function cleanAnything({ result, make }: CleanInput): Steps<JsonObject> {
  return cleanedBut(result, machineMembers, make())
}

/** The members of notifications that are shown. */
const noticed: ReadonlyMap<string, readonly string[]> = new Map([
  ['notifications/progress', ['message']],
  ['notifications/message', ['data', 'logger']],
])

/** Members for programs, which are kept unchanged and not shown. */
const machineMembers = new Set(['nextCursor', 'requestState', 'resultType', 'taskId', 'inputRequests', '_meta'])

export function serverTextCleaner({ make, result: cleanResult }: ResultCleaning): ServerTextCleaner {
  function* question(method: string, params: JsonObject): Steps<JsonObject> {
    if (method === 'roots/list') return params // it has no text
    return yield* cleanOrRefuse('The question', cleanedBut(params, addresses, make()))
  }
  return {
    question: (method, params) => finishInTurns(question(method, params)),
    answer(method, result, note) {
      if (method === 'tools/call' && result.inputRequests === undefined && result.task === undefined) return result
      const clean = isKnown(method) ? cleaners[method] : cleanAnything
      return finishInTurns(cleanOrRefuse(`The answer to ${method}`, answered({ result, make, note }, clean, question)))
    },
    error: (thrown) => finishInTurns(thrown instanceof RpcError ? cleanRpcError(thrown, make) : withCleanMessage(thrown, make)),
    notification(method, params) {
      const names = noticed.get(method)
      if (!names?.some((name) => params[name] !== undefined)) return params // list changes, ids and URIs are not shown
      return finishInTurns(cleanMembers(params, names, make))
    },
    async result(result) {
      try {
        return await cleanResult(result)
      } catch (thrown) {
        throw asRefusal(thrown, 'The result')
      }
    },
  }
}

type CleanQuestion = (method: string, params: JsonObject) => Steps<JsonObject>

function* answered(said: CleanInput, clean: CleanAnswer, question: CleanQuestion): Steps<JsonObject> {
  return yield* clean({ ...said, result: yield* withQuestions(said.result, question) })
}

function* cleanMembers(params: JsonObject, names: readonly string[], make: () => ContentCleaner): Steps<JsonObject> {
  const cleaned = { ...params }
  for (const name of names) if (params[name] !== undefined) cleaned[name] = yield* cleanOrNotice(params[name], make)
  return cleaned
}

const isKnown = (method: string): method is ServerMethod => Object.hasOwn(cleaners, method)

function* cleanOrRefuse<T>(what: string, cleaning: Steps<T>): Steps<T> {
  try {
    return yield* cleaning
  } catch (thrown) {
    throw asRefusal(thrown, what)
  }
}

/** Cleans a value, or replaces it with a notice if a rule refuses it. */
function* cleanOrNotice(value: Json, make: () => ContentCleaner): Steps<Json> {
  try {
    return yield* make().json(value)
  } catch (thrown) {
    if (thrown instanceof UnsafeContent) return `[withheld: it contains ${foundWords[thrown.rule]}]`
    throw thrown
  }
}

function* withQuestions(result: JsonObject, question: CleanQuestion): Steps<JsonObject> {
  if (!isObject(result.inputRequests)) return result
  const asked: [string, Json | undefined][] = []
  for (const [key, one] of Object.entries(result.inputRequests)) {
    const isAsked = isObject(one) && typeof one.method === 'string' && isObject(one.params)
    asked.push([key, isAsked ? { ...one, params: yield* question(String(one.method), one.params as JsonObject) } : one])
  }
  return { ...result, inputRequests: Object.fromEntries(asked) }
}

/** Members of a question that are not cleaned. The address of a page is parsed as a browser does, and shown in that form. */
const addresses: ReadonlySet<string> = new Set(['url', 'elicitationId', 'mode', 'task', '_meta'])

function* cleanedBut(object: JsonObject, kept: ReadonlySet<string>, cleaner: ContentCleaner): Steps<JsonObject> {
  const entries = Object.entries(object)
  const shown = Object.fromEntries(entries.filter(([name]) => !kept.has(name)))
  const cleaned = (yield* cleaner.withMedia(shown, blocksIn(shown.messages))) as JsonObject
  return { ...cleaned, ...Object.fromEntries(entries.filter(([name]) => kept.has(name))) }
}

/** The content blocks of messages, and those inside of results of tools. */
function blocksIn(messages: Json | undefined): Json[] {
  const contentOf = (one: Json) => (isObject(one) && one.content !== undefined ? [one.content].flat() : [])
  const blocks = Array.isArray(messages) ? messages.flatMap(contentOf) : []
  return [...blocks, ...blocks.flatMap(contentOf)]
}

/** Cleans the server's description of itself. Findings in the instructions are kept with them, because a model reads them. */
function* opening({ result, make }: CleanInput): Steps<JsonObject> {
  const { instructions, serverInfo, _meta } = result
  const { [findingsKey]: _forged, ...about } = isObject(_meta) ? _meta : {}
  const cleaner = make()
  const said = instructions === undefined ? {} : { instructions: yield* cleaner.json(instructions) }
  const meta = { ...((yield* cleanOrNotice(about, make)) as JsonObject), ...(cleaner.marked({}) as { _meta?: JsonObject })._meta }
  return {
    ...result,
    ...(isObject(serverInfo) && { serverInfo: yield* cleanOrNotice(serverInfo, make) }),
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : _meta !== undefined && { _meta: {} }),
    ...said,
  }
}

/** Cleans list entries. An entry whose identifier would change is left out, because it could not be requested by that. */
function* entries({ result, make, note }: CleanInput): Steps<JsonObject> {
  const cleaned = { ...result }
  for (const list of ['resources', 'resourceTemplates', 'prompts'] as const) {
    const all = result[list]
    if (!Array.isArray(all)) continue
    const shown: Json[] = []
    for (const entry of all) shown.push(...(yield* entryIn(entry, list, { make, note })))
    cleaned[list] = shown
  }
  return cleaned
}

const identifiers = { resources: ['uri'], resourceTemplates: ['uriTemplate'], prompts: ['name', 'arguments'] } as const

function* entryIn(entry: Json, list: keyof typeof identifiers, { make, note }: Omit<CleanInput, 'result'>): Steps<Json[]> {
  yield
  if (!isObject(entry)) return [entry]
  try {
    const cleaner = make()
    const cleaned = (yield* cleaner.json(entry)) as JsonObject
    const isSame = identifiers[list].every((name) => namesIn(cleaned[name]) === namesIn(entry[name]))
    if (isSame && (list !== 'resources' || cleaner.mayLead(entry.uri))) return [cleaner.marked(cleaned)]
  } catch (thrown) {
    if (!(thrown instanceof UnsafeContent)) throw thrown
  }
  const named = entry[identifiers[list][0]]
  const shown = JSON.stringify(yield* make().text(textIn(named).slice(0, 128)))
  note(`An entry of ${list} was left out, because its text is not allowed by guard.sanitize: ${shown}`)
  return []
}

/** Text as it is, anything else as JSON: an object from a server need not convert to text. */
const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Returns an identifier, or the names of arguments, as comparable text. */
const namesIn = (value: Json | undefined): string =>
  JSON.stringify(Array.isArray(value) ? value.map((one) => (isObject(one) ? one.name : one)) : value) ?? ''

function* contents({ result, make }: CleanInput): Steps<JsonObject> {
  if (!Array.isArray(result.contents)) return result
  const cleaned = yield* bounded(result.contents, make, function* (one) {
    if (!isObject(one)) return one
    const cleaner = make()
    // A block by its form only; the cleaner checks its content.
    const block = yield* cleaner.blockAlone({ type: 'resource', resource: one } as unknown as Content)
    if (block.type === 'resource') return cleaner.marked(block.resource as object as JsonObject)
    return cleaner.marked({ uri: yield* cleaner.text(textIn(one.uri)), text: block.type === 'text' ? block.text : '' })
  })
  const [first] = cleaned
  const uri = (isObject(first) && first.uri) || ''
  return { ...result, contents: cleaned.map((one) => (typeof one === 'string' ? { uri, text: one } : one)) }
}

function* messages({ result, make }: CleanInput): Steps<JsonObject> {
  const { description, messages: said } = result
  const about = description === undefined ? {} : { description: yield* make().json(description) }
  if (!Array.isArray(said)) return { ...result, ...about }
  const cleaned = yield* bounded(said, make, function* (message) {
    if (!isObject(message)) return message
    const { content, ...rest } = message
    const shown = (yield* make().json(rest)) as JsonObject
    if (content === undefined) return shown
    if (!Array.isArray(content)) return { ...shown, content: yield* blockOf(content, make) }
    const blocks: Json[] = []
    for (const block of content) blocks.push(yield* blockOf(block, make))
    return { ...shown, content: blocks }
  })
  const asMessage = (one: Json) => (typeof one === 'string' ? { role: 'user', content: { type: 'text', text: one } } : one)
  return { ...result, ...about, messages: cleaned.map(asMessage) }
}

/** Cleans one block. The casts are safe because a block is JSON. */
function* blockOf(block: Json, make: () => ContentCleaner): Steps<Json> {
  yield
  if (!isObject(block)) return block
  const cleaner = make()
  return cleaner.marked(yield* cleaner.blockAlone(block as object as Content)) as object as Json
}

/** Cleans as many entries as a result may have blocks, and adds a notice if there are more. */
function* bounded(all: readonly Json[], make: () => ContentCleaner, clean: (one: Json) => Steps<Json>): Steps<Json[]> {
  const { kept, notice } = make().firstOf(all)
  const cleaned: Json[] = []
  for (const one of kept) cleaned.push(yield* clean(one))
  return notice === undefined ? cleaned : [...cleaned, notice]
}

function* values({ result, make }: CleanInput): Steps<JsonObject> {
  const { completion } = result
  return isObject(completion) ? { ...result, completion: yield* make().json(completion) } : result
}

/** Cleans the messages of a task. Its result is cleaned as the result of the call. */
function* withTask({ result, make }: CleanInput): Steps<JsonObject> {
  const { task, tasks } = result
  const cleaned = yield* cleanMembers(result, ['statusMessage', 'error'], make)
  if (task !== undefined) cleaned.task = yield* aboutTask(task, make)
  if (!Array.isArray(tasks)) return cleaned
  const all: Json[] = []
  for (const one of tasks) all.push(yield* aboutTask(one, make))
  return { ...cleaned, tasks: all }
}

function* aboutTask(about: Json, make: () => ContentCleaner): Steps<Json> {
  yield
  return isObject(about) ? yield* withTask({ result: about, make, note: ignore }) : about
}

const ignore = () => undefined

/** Longest error text that is kept, because errors are searched in one go. */
const longestError = 65_536

function* cleanRpcError(thrown: RpcError, make: () => ContentCleaner): Steps<RpcError> {
  const { code, message, data, cause } = thrown
  const said = String(yield* cleanOrNotice(capped(message, longestError), make))
  if (said === message && data === undefined) return thrown
  const about = data === undefined ? undefined : yield* cleanOrNotice(data as Json, make) // it came as JSON
  return new RpcError(code, said, { ...(about !== undefined && { data: about }), ...(cause !== undefined && { cause }) })
}

/** Cleans an error of this side that contains text from the server. */
function* withCleanMessage(thrown: Error, make: () => ContentCleaner): Steps<Error> {
  const said = String(yield* cleanOrNotice(capped(thrown.message, longestError), make))
  if (said !== thrown.message) thrown.message = said
  return thrown
}

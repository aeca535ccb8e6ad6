// Runs a handler: the innermost step of a call, where a tool's own failures become results that a model can read.
import { isObject, type Json } from '../../json.js'
import { RpcError } from '../../jsonrpc/error.js'
import { type Ask, InputRequired } from '../../tools/ask.js'
import { checkContent } from '../../tools/checks/check-content.js'
import { DefinitionError } from '../../tools/checks/definition-error.js'
import type { Content } from '../../tools/content.js'
import { refusalOfFixed } from '../../tools/fixed-arguments.js'
import { Refusal } from '../../tools/refusal.js'
import { errorResult, Reply, ToolError, type ToolResult } from '../../tools/result.js'
import { SuspendedForInput, SuspendedWithQuestions, Suspension } from '../../tools/suspension.js'
import type { CheckedValue, ReadyTool, ToolCall, ValueFinding } from '../../tools/tool.js'
import { recommend, reportFault } from '../report-fault.js'
import type { HandlerContext } from './handler-context.js'

export async function invokeHandler(call: ToolCall): Promise<ToolResult> {
  const { tool, input } = call
  const context = call.context as HandlerContext // created by this server for every call
  const refusal = refusalOfFixed(call) // also where no policy validates
  if (refusal) throw refusal
  // Policies may have taken long, and few of them notice that the call was stopped meanwhile.
  if (context.stopped) throw context.cancelToken.reason
  try {
    if (tool.definition.asks && !context.answered)
      context.answers = (await answersTo(tool.definition.asks, input, context)) as never // typed where they are declared
    if (context.onlyAsks) return nothing
    const result = resultOf(tool, await runHandler(tool, input, context))
    return result instanceof Promise ? await result : result
  } catch (thrown) {
    if (thrown instanceof Suspension || thrown instanceof RpcError || thrown instanceof Refusal) throw thrown
    if (thrown instanceof ToolError) return errorResult(thrown.message || 'The tool failed')
    if (context.stopped) return errorResult('The call was stopped')
    return errorResult(`The tool failed unexpectedly (error ${reportFault(`tool ${tool.name}`, thrown)})`)
  }
}

/** Milliseconds of blocking after which other calls have waited too long. */
const blockingMs = 1_000

/** Runs the handler and reports one that blocks the event loop. Time after its first `await` cannot be attributed to it. */
function runHandler({ name, definition }: ReadyTool, input: unknown, context: HandlerContext): unknown {
  const began = performance.now()
  try {
    return definition.run(input as never, context) // it has been checked against the tool's own schema
  } finally {
    const ms = performance.now() - began
    if (ms >= blockingMs) recommend(`tool ${name}`, `it has blocked the event loop for ${Math.round(ms)} ms`)
  }
}

const nothing: ToolResult = { content: [], isError: false }

type DeclaredAsks = NonNullable<ReadyTool['definition']['asks']>

/** Asks all declared questions at once. */
async function answersTo(asks: DeclaredAsks, input: unknown, context: HandlerContext): Promise<Record<string, unknown>> {
  const { interview } = context
  const put = async ([key, declared]: [string, Ask | ((input: unknown) => Ask)]) => {
    const ask = typeof declared === 'function' ? declared(input) : declared
    const optional = 'optional' in ask && ask.optional
    return [key, await (optional ? interview.putOptional(key, ask) : interview.put(key, ask))] as const
  }
  const settled = await Promise.allSettled(Object.entries(asks).map(put))
  const failed =
    settled.find((one) => one.status === 'rejected' && !(one.reason instanceof SuspendedForInput)) ??
    settled.find((one) => one.status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return Object.fromEntries(settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])))
}

function resultOf(tool: ReadyTool, returned: unknown): ToolResult | Promise<ToolResult> {
  if (returned instanceof InputRequired) throw new SuspendedWithQuestions(returned)
  if (tool.definition.relayed) return returned as ToolResult // as the type of relay() says
  if (returned instanceof Reply) return fromReply(tool, returned)
  if (tool.checkOutput) return withOutput(tool, returned, [])
  if (typeof returned === 'string') return { content: [{ type: 'text', text: returned }], isError: false }
  if (returned === undefined) return { content: [], isError: false }
  return { content: contentBlocks(returned), isError: false }
}

function fromReply(tool: ReadyTool, reply: Reply<unknown>): ToolResult | Promise<ToolResult> {
  const { content, structured, isError, meta } = reply
  if (isError || (structured === undefined && !tool.checkOutput))
    return { content, isError, ...(meta && { meta }), ...(structured !== undefined && { structured }) }
  const result = withOutput(tool, structured, content)
  return meta ? Promise.resolve(result).then((whole) => ({ ...whole, meta })) : result
}

/** A structured value always comes with its JSON as text, for clients that read nothing else. */
function withOutput(tool: ReadyTool, value: unknown, prose: readonly Content[]): ToolResult | Promise<ToolResult> {
  if (!tool.checkOutput) return structuredResult(value, prose)
  const settle = (checked: CheckedValue): ToolResult =>
    checked.issues ? brokenOutput(tool, value, checked.issues) : structuredResult(checked.value, prose)
  const checked = tool.checkOutput(value)
  return checked instanceof Promise ? checked.then(settle) : settle(checked)
}

function brokenOutput(tool: ReadyTool, value: unknown, issues: readonly ValueFinding[]): ToolResult {
  if (isWireResult(value)) throw new DefinitionError(asResultOfTheWire)
  const paths = issues.map(({ path }) => path || 'the value itself').join(', ')
  const faults = issues.map(({ path, message }) => `${path}: ${message}`).join('; ')
  const id = reportFault(`tool ${tool.name}`, new DefinitionError(`its output breaks its own schema: ${faults}`))
  return errorResult(`The tool gave a result that breaks its own output schema, at ${paths} (error ${id})`)
}

function structuredResult(value: unknown, prose: readonly Content[]): ToolResult {
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError('The structured result is not JSON')
  return { content: [...prose, { type: 'text', text }], structured: value as Json, isError: false } // it has just been written as JSON
}

/** A result in the wire format of the protocol, which other libraries expect from their handlers. */
const isWireResult = (returned: unknown): boolean =>
  isObject(returned) && Array.isArray(returned.content) && !('type' in returned)

const asResultOfTheWire =
  '`run` returned { content: […] }, which is the wire format. Return a string or the content blocks. With `output`, return the ' +
  'structured value or reply.structured(value, …blocks). For isError, throw a ToolError or return reply.error(…).'

const noBlock = 'a tool without `output` returns a string, content blocks or a reply.*; to return a value, declare `output`'

function contentBlocks(returned: unknown): readonly Content[] {
  if (isWireResult(returned)) throw new DefinitionError(asResultOfTheWire)
  const list = (Array.isArray(returned) ? returned : [returned]) as Content[] // each is checked before it is believed
  for (const block of list) {
    if (!isObject(block) || !('type' in block)) throw new DefinitionError(noBlock)
    checkContent(block)
  }
  return list
}

import { isObject, type JsonObject } from '../../json.js'
import { chainsAround, type Next, type Policy } from '../../policy/policy.js'
import { needsWrapping } from '../../revisions/encode/encode-tool.js'
import { pickMembers } from '../../revisions/encode/pick-members.js'
import { type HeaderParam, headerParamsIn } from '../../revisions/param-headers/header-params.js'
import { withoutAdditionalProperties } from '../../schema/closed-schema.js'
import { jsonSchemaOf, validator } from '../../schema/validator.js'
import { isSensitiveName } from '../../text/secrets/sensitive-names.js'
import { checkIcons } from '../../tools/checks/check-content.js'
import { DefinitionError, definitionError } from '../../tools/checks/definition-error.js'
import { checkMetaKeys } from '../../tools/checks/meta-keys.js'
import { annotationsOf } from '../../tools/hints.js'
import type { StandardSchema } from '../../tools/standard-schema.js'
import type { AnyTool, ListedTool, ReadyTool } from '../../tools/tool.js'
import { checkAsk } from '../questions/elicitation-form.js'
import { recommend } from '../report-fault.js'
import { invokeHandler } from './invoke-handler.js'

/** A tool with all preparations made that are possible before a call. */
export type ServedTool = ReadyTool & {
  /** Runs the handler behind all policies that concern the tool. */
  readonly run: Next
  readonly mirrored: readonly HeaderParam[]
  /** True if older revisions wrap the structured value in an object. */
  readonly wrapped: boolean
}

const noParameters: JsonObject = { type: 'object', additionalProperties: false }

export type Around = ReturnType<typeof policiesAround>
export const policiesAround = (policies: readonly Policy[]) => chainsAround(policies, invokeHandler)

export function serveTool(name: string, tool: AnyTool, around: Around): ServedTool {
  checkName(name)
  try {
    if (!tool?.definition) throw definitionError('it was not made by tool(). Write tool({ … }) around its definition.')
    const { relayed } = tool.definition
    if (relayed) return prepareRelayed(tool, relayed.name === name ? relayed : { ...relayed, name }, around)
    return logAdvice(prepare(name, tool, around))
  } catch (cause) {
    throw definitionError(`Tool "${name}": ${cause instanceof Error ? cause.message : String(cause)}`, cause)
  }
}

function prepare(name: string, { definition }: AnyTool, around: Around): ServedTool {
  const { input, output } = definition
  const inputSchema = input ? inputOf(input) : noParameters
  const outputSchema = output && jsonSchemaOf(output, 'output')
  for (const [key, ask] of Object.entries(definition.asks ?? {})) if (typeof ask !== 'function') checkAsk(key, ask)
  const listed = listedTool(name, { ...definition, inputSchema, outputSchema })
  const checkInput = input ? validator(input, 'input') : takesNothing
  const checkOutput = output && validator(output, 'output')
  return behind(around, { name, definition, listed, checkInput, checkOutput }, headerParamsIn(inputSchema))
}

/** Prepares a tool of another server. Its definition stays unchanged, and its arguments and results are not validated here. */
function prepareRelayed({ definition }: AnyTool, listed: ListedTool, around: Around): ServedTool {
  const checks = { checkInput: unchecked, checkOutput: undefined }
  return behind(around, { name: listed.name, definition, listed, ...checks }, mirroredParams(listed.inputSchema))
}

const unchecked = (value: unknown) => ({ value })

const behind = (around: Around, ready: ReadyTool, mirrored: readonly HeaderParam[]): ServedTool =>
  withPolicies(around, { ...ready, mirrored, wrapped: needsWrapping(ready.listed.outputSchema) })

/** The tool behind these policies, in place of any earlier ones. A member added to a copy would take memory of its own in each tool. */
export function withPolicies(around: Around, tool: Omit<ServedTool, 'run'>): ServedTool {
  const { name, definition, listed, checkInput, checkOutput, mirrored, wrapped } = tool
  return { name, definition, listed, checkInput, checkOutput, mirrored, wrapped, run: around(tool) }
}

/** The parameters to repeat in headers; none if the schema declares them in a way that clients cannot follow. */
function mirroredParams(schema: JsonObject): readonly HeaderParam[] {
  try {
    return headerParamsIn(schema)
  } catch (thrown) {
    if (thrown instanceof DefinitionError) return []
    throw thrown
  }
}

function inputOf(schema: StandardSchema): JsonObject {
  const described = asObject(jsonSchemaOf(schema, 'input'))
  if (described.type === 'object') return withoutAdditionalProperties(described)
  const how = "z.object({ … }) or { type: 'object', properties: { … } }"
  throw definitionError(`\`input\` must describe an object, because arguments are named: ${how}`)
}

/** A union of objects is an object, though schema libraries do not say so at the root. */
function asObject(schema: JsonObject): JsonObject {
  if (!isObject(schema)) return {} // a boolean schema describes no object
  const branches = schema.anyOf ?? schema.oneOf
  const onlyObjects =
    Array.isArray(branches) && branches.length > 0 && branches.every((branch) => isObject(branch) && branch.type === 'object')
  return schema.type === undefined && onlyObjects ? { type: 'object', ...schema } : schema
}

type Listable = AnyTool['definition'] & { inputSchema: JsonObject; outputSchema: ListedTool['outputSchema'] }

const listedFields = 'name title description icons inputSchema outputSchema annotations taskSupport _meta'.split(' ')

function listedTool(name: string, definition: Listable): ListedTool {
  const { icons, hints, longRunning, _meta } = definition
  if (icons) checkIcons(icons)
  checkMetaKeys(_meta)
  const annotations = hints && annotationsOf(hints)
  const listable = { ...definition, name, annotations, taskSupport: longRunning }
  return pickMembers(listable, listedFields) as unknown as ListedTool // its name and its schema are there
}

function checkName(name: string): void {
  if (!/^[A-Za-z0-9_.-]{1,128}$/.test(name))
    throw definitionError(`"${name.slice(0, 140)}" is not a valid tool name: use 1 to 128 of the characters A-Z a-z 0-9 _ . -`)
}

const advisedDefinitions = new WeakSet<AnyTool['definition']>()

/** Logs advice about a tool once, however often it is served, and returns the tool. */
function logAdvice(tool: ServedTool): ServedTool {
  const advice = advisedDefinitions.has(tool.definition) ? [] : adviceFor(tool)
  advisedDefinitions.add(tool.definition)
  for (const each of advice) recommend(`tool "${tool.name}"`, each)
  return tool
}

/** A model can only guess the purpose of a tool without a description; headers end up in the logs of others. */
function* adviceFor({ definition, mirrored }: ServedTool): Generator<string> {
  if (!definition.description?.trim()) yield 'it has no `description`, which tells a model what the tool does and when to use it'
  for (const { path, header } of mirrored) {
    if (isSensitiveName(path.at(-1) ?? ''))
      yield `${path.join('.')} sounds secret, but x-mcp-header "${header}" repeats it in a header`
  }
}

function takesNothing(value: unknown) {
  const [extra] = isObject(value) ? Object.keys(value) : []
  if (extra === undefined) return { value }
  return { issues: [{ path: '', message: `unknown property '${extra.slice(0, 64)}': this tool takes no arguments` }] }
}

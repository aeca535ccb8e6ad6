// A tool as it was listed by a server, made ready to be called.
import { finishInTurns } from '../../bounds/steps.js'
import { isObject, type Json, type JsonObject, textIn } from '../../json.js'
import { type HeaderParam, headerParamSteps, noParams } from '../../revisions/param-headers/header-params.js'
import type { Revision } from '../../revisions/revision.js'
import { type Compiled, compile } from '../../schema/compile-schema.js'
import { withDefaults } from '../../schema/defaults.js'
import { SchemaError } from '../../schema/schema-error.js'
import { visibleLine } from '../../text/visible.js'
import { safeIcons } from '../../tools/checks/safe-icons.js'
import type { Icon } from '../../tools/content.js'
import { claimsOf, effectiveHints } from '../../tools/hints.js'
import type { Hints, ListedTool, LongRunning, ReadyTool } from '../../tools/tool.js'
import { CallFailure } from '../errors.js'
import type { RemoteTool } from './remote-tool.js'
import { readyToolOf } from './unlisted-tool.js'

/** Thrown for a definition that cannot be used; the message goes into a warning. */
export class InvalidDefinition extends Error {}

/** Longest tool name, to bound memory and log lines. Older revisions recommend no limit. */
const longestName = 1_024
/** Characters that are invisible, or change how the text around them looks. */
const hidden = /[\p{C}\p{Zl}\p{Zp}]/u

export type ToolReadOptions = {
  readonly revision: Revision
  readonly trusted: boolean
  /** Each request is an HTTP POST of its own, so parameters may have to be sent in headers. */
  readonly posts: boolean
}

/** A definition, and the length of its JSON text in characters. */
export type MeasuredDefinition = { readonly definition: JsonObject; readonly letters: number }

export class KnownTool implements RemoteTool, MeasuredDefinition {
  readonly name: string
  readonly displayName: string
  readonly description: string | undefined
  readonly inputSchema: JsonObject
  readonly outputSchema: Json | undefined
  readonly claims: Readonly<Hints>
  readonly hints: Readonly<Required<Hints>>
  readonly icons: readonly Icon[]
  readonly taskSupport: LongRunning | undefined
  readonly _meta: JsonObject | undefined
  readonly definition: JsonObject
  readonly letters: number
  #mirrored = noParams
  /** The tool was listed in a revision that names no JSON Schema dialect. */
  readonly #undated: boolean
  /** An output schema from a revision that has none. Structured content is then optional, but it is checked if present. */
  readonly #early: Json | undefined
  #input: Compiled | undefined
  #output: Compiled | undefined
  #ready: ReadyTool | undefined

  /** Throws an InvalidDefinition if the tool cannot be used. Yields to the event loop while it searches a large schema. */
  static async read(listed: MeasuredDefinition, reading: ToolReadOptions): Promise<KnownTool> {
    const tool = new KnownTool(listed, reading)
    if (reading.posts && reading.revision.http.mirrored) tool.#mirrored = await mirroredParamsOf(tool.inputSchema)
    return tool
  }

  private constructor({ definition, letters }: MeasuredDefinition, { revision, trusted }: ToolReadOptions) {
    const { name, inputSchema, outputSchema, execution } = definition
    if (typeof name !== 'string' || name === '') throw new InvalidDefinition('it has no name')
    if (name.length > longestName) throw new InvalidDefinition(`its name is longer than ${longestName} characters`)
    if (hidden.test(name)) throw new InvalidDefinition('its name contains invisible characters')
    if (!isObject(inputSchema)) throw new InvalidDefinition('its inputSchema is not an object')
    if (inputSchema.type !== 'object') throw new InvalidDefinition('its inputSchema does not describe an object')
    this.definition = definition
    this.letters = letters
    this.#undated = !revision.dialectNamed
    this.name = name
    this.displayName = displayName(definition, name, revision)
    this.description = textIn(definition.description)
    this.inputSchema = inputSchema
    const isEarly = revision.structured === 'none'
    this.outputSchema = isEarly ? undefined : outputSchema
    this.#early = isEarly ? outputSchema : undefined
    this.claims = claimsOf(definition.annotations)
    this.hints = effectiveHints(trusted ? this.claims : {})
    this.icons = safeIcons(definition.icons)
    this.taskSupport = isObject(execution) ? taskSupportOf(execution.taskSupport) : undefined
    this._meta = isObject(definition._meta) ? definition._meta : undefined
  }

  get mirrored(): readonly HeaderParam[] {
    return this.#mirrored
  }

  /** Returns why the arguments do not fit, or undefined if they do. */
  misfit(args: JsonObject): string | undefined {
    this.#input ??= this.#compile(this.inputSchema, 'inputSchema')
    const input = this.#input
    // The output schema is compiled before the call, because a result that cannot be checked must not be requested.
    if (this.outputSchema !== undefined) this.#output ??= this.#compile(this.outputSchema, 'outputSchema')
    const issues = issuesOf(input, args)
    if (issues === undefined) return undefined
    // Defaults count for the check only. Arguments are sent unchanged, because the server fills in its own defaults.
    const fill = withDefaults(this.inputSchema, { shared: true })
    const fits = (given: JsonObject) => issuesOf(input, fill(given)) === undefined
    return fits(args) || (Object.values(args).includes(null) && fits(withoutNulls(args))) ? undefined : issues
  }

  misfitOfResult(value: Json): string | undefined {
    const schema = this.outputSchema ?? this.#early
    if (schema === undefined) return undefined
    this.#output ??= this.#compile(schema, 'outputSchema')
    return issuesOf(this.#output, value)
  }

  get ready(): ReadyTool {
    this.#ready ??= readyToolOf(listedOf(this), this.hints)
    return this.#ready
  }

  #compile(schema: Json, which: string): Compiled {
    try {
      return compile(schema)
    } catch (thrown) {
      if (!(thrown instanceof SchemaError)) throw thrown
      const older = this.#undated && compiledAsOlder(schema)
      if (older) return older
      const why = `${this.name} cannot be used because its ${which} is invalid (${thrown.message.replace(/\.$/, '')}).`
      throw new CallFailure('bad_response', why, { cause: thrown })
    }
  }
}

/**
 * Models send null for omitted arguments, and the protocol reads null that way where arguments travel in headers. The server decides
 * whether it accepts null. 2026-07-28/basic/transports/streamable-http#server-behavior-for-custom-headers
 */
function withoutNulls(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
}

function issuesOf(compiled: Compiled, value: unknown): string | undefined {
  const issues = compiled.check(value)
  if (issues.length === 0) return undefined
  return visibleLine(issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '))
}

/** The place of the title depends on the revision. spec 2025-06-18, basic/index#implementation and server/tools#tool */
function displayName({ title, annotations }: JsonObject, name: string, { fields }: Revision): string {
  const own = fields.tool.includes('title') ? textIn(title) : undefined
  return own ?? (isObject(annotations) ? textIn(annotations.title) : undefined) ?? name
}

const taskSupportOf = (value: Json | undefined): LongRunning | undefined =>
  value === 'required' || value === 'optional' ? value : undefined

async function mirroredParamsOf(schema: JsonObject): Promise<readonly HeaderParam[]> {
  try {
    return await finishInTurns(headerParamSteps(schema))
  } catch (thrown) {
    throw new InvalidDefinition(thrown instanceof Error ? thrown.message : String(thrown))
  }
}

function listedOf(tool: KnownTool): ListedTool {
  // The definition is untrusted. Policies show, hash and compare it, and do not rely on its form.
  const { title, annotations } = tool.definition
  return {
    ...(tool.definition as unknown as ListedTool),
    name: tool.name,
    inputSchema: tool.inputSchema,
    ...(typeof title === 'string' && { title }),
    ...(isObject(annotations) && { annotations }),
  }
}

/** Compiles a schema as draft-07, the dialect that servers of older revisions may have used. */
function compiledAsOlder(schema: Json): Compiled | undefined {
  try {
    return compile(schema, { dialect: 'draft-07' })
  } catch (thrown) {
    if (thrown instanceof SchemaError) return undefined
    throw thrown
  }
}

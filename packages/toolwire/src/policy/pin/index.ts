import { withDeadline } from '../../bounds/deadline.js'
import { finishInTurns } from '../../bounds/steps.js'
import type { JsonObject } from '../../json.js'
import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { either, listOf, oneOf, someFunction, someObject, trueOrFalse } from '../../tools/checks/option-values.js'
import { Refusal } from '../../tools/refusal.js'
import type { ToolResult } from '../../tools/result.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import { frozenCopy } from '../frozen-copy.js'
import { definitionHash, definitionOf } from '../hash/definition-hash.js'
import type { Next, Policy } from '../policy.js'
import { type Advice, type OtherTool, scanSteps } from '../scan/index.js'
import { acceptedIn, acceptedSync, identityIn, isAcceptedDefinition, type SeenTool } from './accepted.js'
import { changesBetween, type Drift } from './drift.js'
import { isSameTool, quarantine } from './quarantine.js'
import { memoryPins, type Pin, type PinStore } from './store.js'

export type PinScanOptions = {
  /** Tools that definitions may name or imitate, besides the pinned ones. */
  others?: readonly OtherTool[] | (() => readonly OtherTool[])
  /** True if `others` includes the pinned tools, so that the store is not asked for them. */
  pinnedToo?: boolean
  /** The server's own name for a tool that is known here under this name. */
  nameOf?: (server: string | undefined, tool: string) => string
}

export type PinOptions = {
  store?: PinStore
  /** Called once for each definition that is not the accepted one. */
  onDrift?: (drift: Drift) => void | Promise<void>
  /** Action for a new tool: accept its definition, refuse its calls until someone accepts it, or only report it. */
  unknown?: 'accept' | 'refuse' | 'report'
  /** Action for a changed definition: refuse its calls until someone accepts it, or only report it. */
  changed?: 'refuse' | 'report'
  /** Scans every definition that is not the accepted one for misleading text. The findings are advice: `drift.advice`. */
  scan?: boolean | PinScanOptions
  /** Hides tools in lists if their calls are known to be refused. */
  hide?: boolean
  /** This side's name for the server of a listed tool. */
  serverOf?: (tool: ReadyTool) => string | undefined
}

/** The policy, with methods to list, accept and check definitions. */
export type PinPolicy = Policy & {
  /** Tools whose definition is not the accepted one. Their calls are refused or only reported, as the options say. */
  drifted(): readonly Drift[]
  /** Accepts the definition with this hash, which must have been seen. For another server, `serverIdentity` must name that server. */
  accept(server: string | undefined, tool: string, hash: string, serverIdentity?: string): Promise<void>
  /** Forgets the drift of a tool that no longer exists. Its accepted definition stays accepted. */
  forget(server: string | undefined, tool: string): void
  /** Checks a list before any call, as calls would, and returns the tools whose definition is not the accepted one. */
  check(tools: readonly ReadyTool[], server?: string): Promise<readonly Drift[]>
}

const patienceMs = 5_000

const known = optionsOf<PinOptions>()({
  store: someObject,
  'onDrift serverOf': someFunction,
  unknown: oneOf('accept', 'refuse', 'report'),
  changed: oneOf('refuse', 'report'),
  scan: either(trueOrFalse, someObject),
  hide: trueOrFalse,
})
const knownScan = optionsOf<PinScanOptions>()({
  others: either(someFunction, listOf(someObject)),
  pinnedToo: trueOrFalse,
  nameOf: someFunction,
})

/**
 * Refuses calls to a tool whose definition has changed since it was accepted: approval was for another tool.
 *
 * @example
 * ```ts
 * const shop = await connect('https://shop.example/mcp', { policies: [pin({ store: memoryPins() })] })
 * ```
 */
export function pin(options: PinOptions = {}): PinPolicy {
  checkOptions('`pin`', options, known)
  if (typeof options.scan === 'object') checkOptions('`pin.scan`', options.scan, knownScan)
  const { store = memoryPins(), onDrift, unknown = 'accept', changed = 'refuse', scan, hide, serverOf } = options
  const quarantined = quarantine((drift) => withDeadline(patienceMs, onDrift?.(drift)))
  const isAccepted = acceptedSync(store)
  const acceptedFor = acceptedIn(store, unknown === 'accept')

  async function driftOf({ server, tool }: SeenTool, hash: string, accepted: Pin | undefined): Promise<Drift> {
    const before = accepted?.definition
    const after = frozenCopy(definitionOf(tool))
    const advice = scan ? await adviceOn(after, { server, store, scan: scan === true ? {} : scan }) : []
    const whose = { ...identityIn(tool), ...otherServer(accepted, tool) }
    return { server, ...whose, tool: tool.name, before, after, hash, changes: changesBetween(before, after), advice }
  }

  /** Returns the drift if the tool is not the accepted one. The tool is then in quarantine, and `onDrift` has been called. */
  async function look(sight: SeenTool): Promise<Drift | undefined> {
    const { server, tool } = sight
    const hash = definitionHash(tool)
    const accepted = await withDeadline(patienceMs, acceptedFor(sight, hash))
    if (isAcceptedDefinition(accepted, tool)) return void quarantined.release(server, tool.name)
    const known = quarantined.at(server, tool.name)
    if (known && isSameTool(known.drift, { hash, ...identityIn(tool) }) && isSameTool(known.against, accepted)) return known.drift
    const drift = await driftOf(sight, hash, accepted)
    await quarantined.put({ drift, against: accepted })
    return drift
  }

  const looked = (sight: SeenTool) =>
    look(sight).catch((thrown) => {
      throw definitionUnchecked(sight, thrown)
    })

  const isRefused = ({ before }: Drift) => (before ? changed : unknown) === 'refuse'

  function isHidden(tool: ReadyTool): boolean {
    const drift = quarantined.holds(tool, serverOf?.(tool))
    return drift !== undefined && isRefused(drift)
  }

  async function examined(call: ToolCall, next: Next): Promise<ToolResult> {
    const drift = await looked(call)
    if (drift && isRefused(drift)) throw definitionChanged(drift)
    return next(call)
  }

  return {
    name: 'pin',
    ...(hide && { list: (tools: readonly ReadyTool[]) => tools.filter((tool) => !isHidden(tool)) }),
    call(call, next) {
      if (!isAccepted(call)) return examined(call, next)
      quarantined.release(call.server, call.tool.name)
      return next(call)
    },
    drifted: quarantined.all,
    async accept(server, tool, hash, serverIdentity) {
      const drift = quarantined.at(server, tool)?.drift
      if (drift?.hash !== hash) throw new Error(`No unaccepted definition of "${tool}" has this hash.`)
      if (!isMeantServer(drift, serverIdentity))
        throw new Error(`"${tool}" is offered by another server than the accepted one. Pass its identity as \`serverIdentity\`.`)
      const { serverIdentity: whose, after: definition } = drift
      await store.set({ server, ...(whose !== undefined && { serverIdentity: whose }), tool, hash, definition, at: Date.now() })
      // Another definition may have been found meanwhile.
      if (isSameTool(quarantined.at(server, tool)?.drift, drift)) quarantined.release(server, tool)
    },
    forget: (server, tool) => quarantined.release(server, tool),
    async check(tools, server) {
      const drifts: Drift[] = []
      for (const tool of tools) {
        const drift = await looked({ server, tool })
        if (drift) drifts.push(drift)
      }
      return drifts
    },
  }
}

type Scanning = { readonly server: string | undefined; readonly store: PinStore; readonly scan: PinScanOptions }

async function adviceOn(definition: JsonObject, { server, store, scan }: Scanning): Promise<Advice[]> {
  const { others = [], nameOf = (_, tool) => tool, pinnedToo = false } = scan
  const pins = pinnedToo ? [] : await withDeadline(patienceMs, store.list())
  const pinned = pins.map((pin) => ({ server: pin.server, name: nameOf(pin.server, pin.tool) }))
  const name = nameOf(server, String(definition.name))
  const lists = [pinned, typeof others === 'function' ? others() : others]
  return finishInTurns(scanSteps({ ...definition, name }, { server, lists }))
}

/** A different server is accepted only if the caller names its identity. */
const isMeantServer = ({ serverIdentity, anotherServer }: Drift, said: string | undefined): boolean =>
  said === serverIdentity || (said === undefined && anotherServer === undefined)

function otherServer(accepted: Pin | undefined, { definition }: ReadyTool): Pick<Drift, 'anotherServer'> {
  const isOther = accepted !== undefined && accepted.serverIdentity !== definition.serverIdentity
  return isOther ? { anotherServer: { accepted: accepted.serverIdentity } } : {}
}

const definitionChanged = (drift: Drift): Refusal =>
  new Refusal('definition-changed', `${whatChanged(drift)}. The user must accept it before it can be called.`)

function whatChanged({ tool, before, anotherServer }: Drift): string {
  if (anotherServer) return `${tool} comes from another server than the tool that was accepted under this name`
  return `The definition of ${tool} ${before ? 'is no longer the one that was accepted' : 'has not been accepted yet'}`
}

const definitionUnchecked = ({ tool }: SeenTool, cause: unknown): Refusal =>
  new Refusal(
    'definition-changed',
    `The definition of ${tool.name} could not be compared with the accepted one, so the call was not made. Try again later.`,
    { cause },
  )

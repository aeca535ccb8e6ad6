// Tools that are switched off or hidden. Calls to them are refused like calls to unknown tools.
import type { Policy, ReadyTool, ToolCall } from 'toolwire/guard'
import { unknownTool } from 'toolwire/relay'
import { explain } from 'toolwire/rules'
import type { Store } from '../../store/store.js'
import type { PolicyFile } from '../policy/policy-file.js'
import type { ToolState } from './tool-view.js'

type Parts = {
  readonly marks: Store['marks']
  readonly policy: PolicyFile
  /** Called when a tool was switched at another gateway. */
  readonly onSwitched: () => void
}

/** No name of a tool has a space. */
const placeOf = (server: string, tool: string): string => `${tool} ${server}`

export type ToolStates = Policy & {
  of(tool: ReadyTool): ToolState
  set(tool: ReadyTool, state: ToolState, by: string): Promise<void>
  /** Refuses a call whose tool is switched off or hidden. */
  recheck(call: ToolCall): void
}

export function toolStatesOf({ marks, policy, onSwitched }: Parts): ToolStates {
  /** By exposed name and server, because another server may have had a tool of this name. */
  const kept = new Map<string, ToolState>(marks.list('state').map(({ tool, server, state }) => [placeOf(server, tool), state]))

  function note(place: string, mark: { readonly state: ToolState } | undefined): void {
    if (mark) kept.set(place, mark.state)
    else kept.delete(place)
  }

  marks.onChange('state', ({ tool, server }, mark) => {
    note(placeOf(server, tool), mark)
    onSwitched()
  })

  function of({ name, definition: { server = '' } }: ReadyTool): ToolState {
    return kept.get(placeOf(server, name)) ?? 'on'
  }

  function isCallable(call: ToolCall): boolean {
    if (kept.size === 0) return true
    const state = of(call.tool)
    return state === 'on' || (state === 'hidden' && isAllowedByName(call))
  }

  function recheck(call: ToolCall): void {
    if (!isCallable(call)) throw unknownTool(call.tool.name)
  }

  /** True if the deciding rule names the tool and does not deny the call: the author of such a rule knows the tool. */
  function isAllowedByName(call: ToolCall): boolean {
    const { current } = policy
    const { decision, rule } = explain(current, call)
    return decision !== 'deny' && current.set.rules.find(({ name }) => name === rule)?.when?.tool !== undefined
  }

  return {
    name: 'tool states',
    of,
    /** Switching off takes effect at once, switching on after the write. The state survives a restart once the promise settles. */
    async set({ name, definition: { server = '' } }: ReadyTool, state: ToolState, by: string): Promise<void> {
      const at = { server, tool: name }
      const place = placeOf(server, name)
      try {
        if (state === 'on') await marks.drop('state', at)
        else {
          kept.set(place, state)
          await marks.set('state', at, { state, at: Date.now(), by })
        }
      } catch (thrown) {
        // A tool that was to be off stays off here, though that cannot be stored.
        if (state !== 'off') note(place, marks.get('state', at))
        throw thrown
      }
      // Somebody may have switched the tool meanwhile, here or at another gateway.
      note(place, marks.get('state', at))
    },
    recheck,
    list: (tools) => (kept.size === 0 ? tools : tools.filter((tool) => of(tool) === 'on')),
    // A rule may allow calls of a hidden tool, so only one that is off is hidden from everybody.
    hides: (tool) => of(tool) === 'off',
    call: (call, next) => (kept.size === 0 || isCallable(call) ? next(call) : Promise.reject(unknownTool(call.tool.name))),
  }
}

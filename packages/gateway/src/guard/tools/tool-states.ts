// Tools that somebody has switched off or hidden. Callers hear of them what they hear of tools that do not exist.
import type { Policy, ReadyTool, ToolCall } from 'toolwire/guard'
import { unknownTool } from 'toolwire/relay'
import { explain } from 'toolwire/rules'
import type { Store } from '../../store/store.js'
import type { PolicyFile } from '../policy/policy-file.js'
import type { ToolState } from './tool-view.js'

type Parts = {
  readonly marks: Store['marks']
  readonly policy: PolicyFile
  /** Somebody has switched a tool at another gateway. */
  readonly onSwitched: () => void
}
type Mark = { readonly server: string; readonly state: Exclude<ToolState, 'on'> }

export type ToolStates = Policy & {
  of(tool: ReadyTool): ToolState
  set(tool: ReadyTool, state: ToolState, by: string): Promise<void>
}

export function toolStatesOf({ marks, policy, onSwitched }: Parts): ToolStates {
  /** By the name that callers know. */
  const kept = new Map<string, Mark>(marks.list('state').map(({ tool, server, state }) => [tool, { server, state }]))

  marks.onChange('state', ({ tool, server }, mark) => {
    if (mark) kept.set(tool, { server, state: mark.state })
    else if (kept.get(tool)?.server === server) kept.delete(tool)
    onSwitched()
  })

  function of({ name, definition: { server = '' } }: ReadyTool): ToolState {
    const mark = kept.get(name)
    return mark?.server === server ? mark.state : 'on'
  }

  function isCallable(call: ToolCall): boolean {
    const state = of(call.tool)
    return state === 'on' || (state === 'hidden' && isAllowedByName(call))
  }

  /** A rule that names a tool, and does not deny the call, has been written by somebody who knows of it. */
  function isAllowedByName(call: ToolCall): boolean {
    const { current } = policy
    const { decision, rule } = explain(current, call)
    return decision !== 'deny' && current.set.rules.find(({ name }) => name === rule)?.when?.tool !== undefined
  }

  return {
    name: 'tool states',
    of,
    /** It holds at once, and after a restart when this has settled. */
    async set({ name, definition: { server = '' } }: ReadyTool, state: ToolState, by: string): Promise<void> {
      const at = { server, tool: name }
      if (state === 'on') {
        await marks.drop('state', at)
        kept.delete(name)
      } else {
        kept.set(name, { server, state })
        await marks.set('state', at, { state, at: Date.now(), by })
      }
    },
    list: (tools) => (kept.size === 0 ? tools : tools.filter((tool) => of(tool) === 'on')),
    call: (call, next) => (kept.size === 0 || isCallable(call) ? next(call) : Promise.reject(unknownTool(call.tool.name))),
  }
}

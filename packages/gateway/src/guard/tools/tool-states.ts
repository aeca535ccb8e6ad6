// Tools that somebody has switched off or hidden. Callers hear of them what they hear of tools that do not exist.
import type { Policy, ReadyTool, ToolCall } from 'toolwire/guard'
import { unknownTool } from 'toolwire/relay'
import { explain } from 'toolwire/rules'
import type { Store } from '../../store/store.js'
import type { PolicyFile } from '../policy/policy-file.js'
import type { ToolState } from './tool-view.js'

type Parts = { readonly marks: Store['marks']; readonly policy: PolicyFile }
type Mark = { readonly server: string; readonly state: Exclude<ToolState, 'on'> }

export class ToolStates implements Policy {
  readonly name = 'tool states'
  readonly #parts: Parts
  /** By the name that callers know. */
  readonly #kept: Map<string, Mark>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#kept = new Map(parts.marks.list('state').map(({ tool, server, state }) => [tool, { server, state }]))
  }

  of({ name, definition: { server = '' } }: ReadyTool): ToolState {
    const mark = this.#kept.get(name)
    return mark?.server === server ? mark.state : 'on'
  }

  /** It holds at once, and after a restart when this has settled. */
  async set({ name, definition: { server = '' } }: ReadyTool, state: ToolState, by: string): Promise<void> {
    const { marks } = this.#parts
    const at = { server, tool: name }
    if (state === 'on') {
      await marks.drop('state', at)
      this.#kept.delete(name)
    } else {
      this.#kept.set(name, { server, state })
      await marks.set('state', at, { state, at: Date.now(), by })
    }
  }

  readonly list: NonNullable<Policy['list']> = (tools) =>
    this.#kept.size === 0 ? tools : tools.filter((tool) => this.of(tool) === 'on')

  readonly call: NonNullable<Policy['call']> = (call, next) => {
    if (this.#kept.size === 0 || this.#isCallable(call)) return next(call)
    return Promise.reject(unknownTool(call.tool.name))
  }

  #isCallable(call: ToolCall): boolean {
    const state = this.of(call.tool)
    return state === 'on' || (state === 'hidden' && this.#isAllowedByName(call))
  }

  /** A rule that names a tool, and does not deny the call, has been written by somebody who knows of it. */
  #isAllowedByName(call: ToolCall): boolean {
    const { current } = this.#parts.policy
    const { decision, rule } = explain(current, call)
    return decision !== 'deny' && current.set.rules.find(({ name }) => name === rule)?.when?.tool !== undefined
  }
}

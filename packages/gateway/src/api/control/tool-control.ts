// The tools as somebody sees them who decides about them, and what they may do.
import type { ReadyTool } from 'toolwire/guard'
import { toolDetails, toolViewOf } from '../../guard/tools/describe-tool.js'
import { ToolStates } from '../../guard/tools/tool-states.js'
import type { Control } from './control.js'
import type { ControlParts } from './create-control.js'

type ToolControl = Pick<Control, 'tools' | 'toolDetails' | 'setToolState' | 'pins' | 'waits' | 'accept' | 'refuse'>

export function toolControl(shown: ControlParts, tools: () => readonly ReadyTool[]): ToolControl {
  const { store, events, pinning, policy, endpoints, catalogue } = shown
  const isOpen = (tool: ReadyTool) => pinning()?.isOpen(tool) ?? true
  const { pins } = shown
  const states = new ToolStates({ marks: store.marks, policy })
  catalogue.filter = states
  return {
    tools: () => tools().map((tool) => toolViewOf(tool, isOpen(tool), shown.config())),
    toolDetails() {
      const parts = { store, config: shown.config(), policy, states, pins }
      return Promise.all(tools().map((tool) => toolDetails(tool, isOpen(tool), parts)))
    },
    async setToolState(name, state, by) {
      const tool = tools().find((one) => one.name === name)
      if (!tool) return
      await states.set(tool, state, by)
      // Of this tool alone nobody would be told who does not see it any more.
      endpoints.announce('all')
      events.add('config', { what: 'tool', server: tool.definition.server ?? '', tool: name, state, by })
    },
    pins: () => pins.view(),
    waits: (definition) => pins.waits(definition),
    accept: (definition, by) => pins.accept(definition, by),
    refuse: (definition, by) => pins.refuse(definition, by),
  }
}

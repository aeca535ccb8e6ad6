// What is asked of the server: the scenarios each revision requires, those that the suite runs without scoring them, and tasks.

export type Group = 'server' | 'unscored' | 'tasks'
export type Revision = '2025-11-25' | '2026-07-28'

export const revisions: readonly Revision[] = ['2025-11-25', '2026-07-28']

/** How many required scenarios a revision has; fewer results mean that some were lost on the way. */
export const required: Readonly<Record<Revision, number>> = { '2025-11-25': 30, '2026-07-28': 37 }

export const unscored: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': ['json-schema-2020-12', 'server-session-lifecycle', 'server-sse-polling'],
  '2026-07-28': ['json-schema-2020-12', 'http-header-validation', 'http-custom-header-server-validation'],
}

export const tasks: readonly string[] = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
]

export function groupOf(scenario: string, revision: Revision): Group {
  if (tasks.includes(scenario)) return 'tasks'
  return unscored[revision].includes(scenario) ? 'unscored' : 'server'
}

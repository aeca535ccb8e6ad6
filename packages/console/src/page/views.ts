import type { ComponentType } from 'preact'
import type { ViewName } from './route.js'

export type ViewComponent = ComponentType<{ path: string[] }>

/** The views, each loaded when somebody goes there. */
export const viewLoaders = {
  overview: () => import('../overview/Overview.js'),
  exposed: () => import('../exposed/ExposedView.js'),
  live: () => import('../live/Live.js'),
  approvals: () => import('../approvals/Approvals.js'),
  audit: () => import('../audit/Audit.js'),
  policy: () => import('../policy/Policy.js'),
  setup: () => import('../setup/Setup.js'),
} as const satisfies Record<ViewName, () => Promise<{ readonly default: ViewComponent }>>

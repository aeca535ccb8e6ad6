// Spans and measurements of calls, for whoever listens to `@opentelemetry/api`.
export type { ContentOptions, Redact, Said } from './policy/observe/content.js'
export { type ObserveOptions, observe } from './policy/observe/observe.js'

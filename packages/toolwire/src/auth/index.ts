// toolwire/auth: authentication of the callers of an HTTP endpoint.
export type { Arrival, Authenticate } from '../transports/http/server/options.js'
export { anyOf } from './any-of.js'
export { type ApiKey, type ApiKeyRecord, type ApiKeyStore, createApiKey, memoryApiKeys } from './api-key.js'
export { apiKeys } from './api-keys.js'
export { bearerJwt, oauthResource } from './bearer-jwt.js'
export { introspection } from './introspection.js'
export { proxyHeader } from './proxy-header.js'
export { scopeHierarchy } from './scope-hierarchy.js'

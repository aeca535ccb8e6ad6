export { matchesAny } from '../config/globs.js'

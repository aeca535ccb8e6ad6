export { nearest } from '../tools/nearest.js'

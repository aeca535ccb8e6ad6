export { nearest } from '../text/nearest.js'

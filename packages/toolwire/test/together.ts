// Set up for files that share a process: what the server side of one reports is not told by a reporter that another has left behind.
import { noteFaults } from './reported-faults.js'

noteFaults()

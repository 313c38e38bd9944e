export { isAbsent } from '@iii/sdk'

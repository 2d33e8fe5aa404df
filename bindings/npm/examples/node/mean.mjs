// The mean of encrypted values.
import { ckks } from 'phoca'

const values = [21.5, 19.25, 24, 22.75]
const he = await ckks({ depth: 1, precision: 25 })
const encrypted = he.encrypt(values)
const mean = encrypted.sum().mul(1 / values.length)
console.log(he.decrypt(mean)[0].toFixed(4)) // 21.8750

// Kept for its name: objects free their memory by themselves.

export {}

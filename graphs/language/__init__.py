"""Language: words and their forms, WordNet, and the embedding model with what is fitted to it.

It knows neither graphs nor interviews; both read with it.
"""

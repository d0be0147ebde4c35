"""Detectors of hallucinated mentions on trial: NAME-Bench, Tables 4, 7, 13 and 16.

materials = meadow_materials(["clover", "daisy"])
judged = [judge(material, DETECTORS) for material in materials]
found = trial(judged)
found.results("meadow", 2026)
"""

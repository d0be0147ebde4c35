"""Objects that captions name: found, told apart by whether they are asserted, and counted.

`chair` finds them by a synonym list, `assertion` reads what the sentence does with them, `bench` puts both
together with what the images show, and `rates` and `flags` compute the tables of NAME-Bench.
"""

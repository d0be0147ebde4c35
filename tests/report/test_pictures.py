from PIL import Image

from sheeplib.published import published
from sheeplib.report import pictures, style


def width(path):
    with Image.open(path) as image:
        return image.width


def test_pictures_are_drawn_and_left_as_they_are_when_right(tmp_path):
    paths = pictures.draw(tmp_path)
    assert [path.stem for path in paths] == list(pictures.PICTURES)
    assert all(width(path) > 1000 for path in paths)
    times = [path.stat().st_mtime_ns for path in paths]
    paths[0].write_bytes(b"spoilt")
    pictures.draw(tmp_path)
    assert width(paths[0]) > 1000
    assert [path.stat().st_mtime_ns for path in paths[1:]] == times[1:]


def test_every_printed_value_has_its_dot():
    style.use()
    axes = pictures.agreement_by_strategy().axes[0]
    drawn = {round(x, 4) for line in axes.lines if line.get_marker() == "o" for x in line.get_xdata()}
    assert drawn == set(published("sheep", 9)["value"])
    axes = pictures.mentions_flagged().axes[0]
    drawn = sorted(x for line in axes.lines if line.get_marker() in "so" for x in line.get_xdata())
    table = published("namebench", 4)
    assert drawn == sorted(table[table["subtype"] == "all"]["value"])
